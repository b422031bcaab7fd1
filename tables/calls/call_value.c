/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_value_internal.h"

#include <inttypes.h>
#include <string.h>

/* Names of the numbers in arguments of system calls, as in the kernel's headers
 * for programs (include/uapi). They are the same on all architectures unless
 * noted.
 */
struct call_flag {
	uint64_t value;
	const char *name;
};

static const char *name_of(const struct call_flag *flags, size_t count,
			   uint64_t value)
{
	for (size_t i = 0; i < count; i++)
		if (flags[i].value == value)
			return flags[i].name;
	return NULL;
}

/* Writes the names of @value's bits as "A|B", bits without a name in
 * hexadecimal. Flags with several bits must be first in @flags. 0 is written as
 * the flag whose value is 0, or "0".
 */
static void call_flags_write(FILE *out, const struct call_flag *flags,
			     size_t count, uint64_t value)
{
	const char *separator = "";

	if (!value) {
		const char *none = name_of(flags, count, 0);

		fputs(none ? none : "0", out);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = flags[i].value;

		if (!bits || (value & bits) != bits)
			continue;
		fprintf(out, "%s%s", separator, flags[i].name);
		separator = "|";
		value &= ~bits;
	}
	if (value)
		fprintf(out, "%s0x%" PRIx64, separator, value);
}

/* Writes the name of @value, or the number if it has none. */
static void call_flags_name(FILE *out, const struct call_flag *flags,
			    size_t count, uint64_t value)
{
	const char *name = name_of(flags, count, value);

	if (name)
		fputs(name, out);
	else
		fprintf(out, "%" PRIu64, value);
}

/* include/uapi/asm-generic/fcntl.h. O_RDONLY is 0, so it is written only for 0;
 * write_open_flags() writes it before other flags.
 */
#define OPEN_FLAGS \
	{ 01, "O_WRONLY" }, { 02, "O_RDWR" }, { CALL_O_CREAT, "O_CREAT" }, \
		{ 0200, "O_EXCL" }, { 0400, "O_NOCTTY" }, \
		{ 01000, "O_TRUNC" }, { 02000, "O_APPEND" }, \
		{ 04000, "O_NONBLOCK" }, { 04010000, "O_SYNC" }, \
		{ 010000, "O_DSYNC" }, { 020000, "O_ASYNC" }, \
		{ 01000000, "O_NOATIME" }, { 02000000, "O_CLOEXEC" }, \
		{ 010000000, "O_PATH" }, \
	{ \
		0, "O_RDONLY" \
	}

static const struct call_flag open_flags[] = {
	OPEN_FLAGS,
	{ 020200000, "O_TMPFILE" },
	{ 040000, "O_DIRECT" },
	{ 0100000, "O_LARGEFILE" },
	{ 0200000, "O_DIRECTORY" },
	{ 0400000, "O_NOFOLLOW" },
};

/* arch/arm64/include/uapi/asm/fcntl.h */
static const struct call_flag open_flags_of_arm[] = {
	OPEN_FLAGS,
	{ 020040000, "O_TMPFILE" },
	{ 040000, "O_DIRECTORY" },
	{ 0100000, "O_NOFOLLOW" },
	{ 0200000, "O_DIRECT" },
	{ 0400000, "O_LARGEFILE" },
};

static const struct call_flag at_flags[] = {
	{ 0x100, "AT_SYMLINK_NOFOLLOW" }, { 0x200, "AT_REMOVEDIR" },
	{ 0x400, "AT_SYMLINK_FOLLOW" },	  { 0x800, "AT_NO_AUTOMOUNT" },
	{ 0x1000, "AT_EMPTY_PATH" },
};

static const struct call_flag access_modes[] = {
	{ 4, "R_OK" },
	{ 2, "W_OK" },
	{ 1, "X_OK" },
	{ 0, "F_OK" },
};

static const struct call_flag protections[] = {
	{ 1, "PROT_READ" },
	{ 2, "PROT_WRITE" },
	{ 4, "PROT_EXEC" },
	{ 0, "PROT_NONE" },
};

static const struct call_flag map_flags[] = {
	{ 1, "MAP_SHARED" },	    { 2, "MAP_PRIVATE" },
	{ 0x10, "MAP_FIXED" },	    { 0x20, "MAP_ANONYMOUS" },
	{ 0x100, "MAP_GROWSDOWN" }, { 0x800, "MAP_DENYWRITE" },
	{ 0x2000, "MAP_LOCKED" },   { 0x4000, "MAP_NORESERVE" },
	{ 0x8000, "MAP_POPULATE" }, { 0x20000, "MAP_STACK" },
	{ 0x40000, "MAP_HUGETLB" }, { 0x100000, "MAP_FIXED_NOREPLACE" },
};

/* clang-format off */
static const struct call_flag clone_flags[] = {
	{ 0x100, "CLONE_VM" },		    { 0x200, "CLONE_FS" },
	{ 0x400, "CLONE_FILES" },	    { 0x800, "CLONE_SIGHAND" },
	{ 0x1000, "CLONE_PIDFD" },	    { 0x4000, "CLONE_VFORK" },
	{ 0x8000, "CLONE_PARENT" },	    { 0x10000, "CLONE_THREAD" },
	{ 0x20000, "CLONE_NEWNS" },	    { 0x40000, "CLONE_SYSVSEM" },
	{ 0x80000, "CLONE_SETTLS" },	    { 0x100000, "CLONE_PARENT_SETTID" },
	{ 0x200000, "CLONE_CHILD_CLEARTID" },
	{ 0x1000000, "CLONE_CHILD_SETTID" }, { 0x10000000, "CLONE_NEWUSER" },
	{ 0x20000000, "CLONE_NEWPID" },	    { 0x40000000, "CLONE_NEWNET" },
};

/* clang-format on */

static const struct call_flag whences[] = {
	{ 0, "SEEK_SET" },  { 1, "SEEK_CUR" },	{ 2, "SEEK_END" },
	{ 3, "SEEK_DATA" }, { 4, "SEEK_HOLE" },
};

static const struct call_flag futex_commands[] = {
	{ 0, "FUTEX_WAIT" },
	{ 1, "FUTEX_WAKE" },
	{ 3, "FUTEX_REQUEUE" },
	{ 4, "FUTEX_CMP_REQUEUE" },
	{ 5, "FUTEX_WAKE_OP" },
	{ 6, "FUTEX_LOCK_PI" },
	{ 7, "FUTEX_UNLOCK_PI" },
	{ 9, "FUTEX_WAIT_BITSET" },
	{ 10, "FUTEX_WAKE_BITSET" },
	{ 11, "FUTEX_WAIT_REQUEUE_PI" },
	{ 12, "FUTEX_CMP_REQUEUE_PI" },
	{ 13, "FUTEX_LOCK_PI2" },
};

static const struct call_flag clocks[] = {
	{ 0, "CLOCK_REALTIME" },	   { 1, "CLOCK_MONOTONIC" },
	{ 2, "CLOCK_PROCESS_CPUTIME_ID" }, { 3, "CLOCK_THREAD_CPUTIME_ID" },
	{ 4, "CLOCK_MONOTONIC_RAW" },	   { 5, "CLOCK_REALTIME_COARSE" },
	{ 6, "CLOCK_MONOTONIC_COARSE" },   { 7, "CLOCK_BOOTTIME" },
};

static const struct call_flag families[] = {
	{ 0, "AF_UNSPEC" }, { 1, "AF_UNIX" },	  { 2, "AF_INET" },
	{ 10, "AF_INET6" }, { 16, "AF_NETLINK" }, { 17, "AF_PACKET" },
	{ 40, "AF_VSOCK" },
};

static const struct call_flag socket_types[] = {
	{ 1, "SOCK_STREAM" },
	{ 2, "SOCK_DGRAM" },
	{ 3, "SOCK_RAW" },
	{ 5, "SOCK_SEQPACKET" },
};

static const struct call_flag socket_flags[] = {
	{ 04000, "SOCK_NONBLOCK" },
	{ 02000000, "SOCK_CLOEXEC" },
};

/* clang-format off */
static const struct call_flag fcntl_commands[] = {
	{ 0, "F_DUPFD" },     { 1, "F_GETFD" },	      { 2, "F_SETFD" },
	{ 3, "F_GETFL" },     { 4, "F_SETFL" },	      { 5, "F_GETLK" },
	{ 6, "F_SETLK" },     { 7, "F_SETLKW" },      { 8, "F_SETOWN" },
	{ 9, "F_GETOWN" },    { 1030, "F_DUPFD_CLOEXEC" },
	{ 1031, "F_SETPIPE_SZ" }, { 1032, "F_GETPIPE_SZ" },
	{ 1033, "F_ADD_SEALS" },  { 1034, "F_GET_SEALS" },
};

/* clang-format on */

static const struct call_flag epoll_commands[] = {
	{ 1, "EPOLL_CTL_ADD" },
	{ 2, "EPOLL_CTL_DEL" },
	{ 3, "EPOLL_CTL_MOD" },
};

static const struct call_flag remove_flags[] = { { 0x200, "AT_REMOVEDIR" } };

static const struct call_flag epoll_flags[] = {
	{ 02000000, "EPOLL_CLOEXEC" },
};

static const struct call_flag eventfd_flags[] = {
	{ 1, "EFD_SEMAPHORE" },
	{ 04000, "EFD_NONBLOCK" },
	{ 02000000, "EFD_CLOEXEC" },
};

static const struct call_flag pipe_flags[] = {
	{ 04000, "O_NONBLOCK" },
	{ 02000000, "O_CLOEXEC" },
};

static const struct call_flag timerfd_flags[] = {
	{ 04000, "TFD_NONBLOCK" },
	{ 02000000, "TFD_CLOEXEC" },
};

static const struct call_flag inotify_flags[] = {
	{ 04000, "IN_NONBLOCK" },
	{ 02000000, "IN_CLOEXEC" },
};

static const struct call_flag signalfd_flags[] = {
	{ 04000, "SFD_NONBLOCK" },
	{ 02000000, "SFD_CLOEXEC" },
};

static const struct call_flag memfd_flags[] = {
	{ 1, "MFD_CLOEXEC" },
	{ 2, "MFD_ALLOW_SEALING" },
	{ 4, "MFD_HUGETLB" },
};

static const struct call_flag protocols[] = {
	{ 0, "IPPROTO_IP" },   { 1, "IPPROTO_ICMP" },  { 6, "IPPROTO_TCP" },
	{ 17, "IPPROTO_UDP" }, { 255, "IPPROTO_RAW" },
};

/* clang-format off */
static const struct call_flag ioctls[] = {
	{ 0x5401, "TCGETS" },	   { 0x5402, "TCSETS" },
	{ 0x5403, "TCSETSW" },	   { 0x5404, "TCSETSF" },
	{ 0x540e, "TIOCSCTTY" },   { 0x540f, "TIOCGPGRP" },
	{ 0x5410, "TIOCSPGRP" },   { 0x5413, "TIOCGWINSZ" },
	{ 0x5414, "TIOCSWINSZ" },  { 0x541b, "FIONREAD" },
	{ 0x5421, "FIONBIO" },	   { 0x5422, "TIOCNOTTY" },
	{ 0x5429, "TIOCGSID" },	   { 0x5450, "FIONCLEX" },
	{ 0x5451, "FIOCLEX" },	   { 0x5452, "FIOASYNC" },
	{ 0x1260, "BLKGETSIZE" },  { 0x80081272, "BLKGETSIZE64" },
	{ 0x1268, "BLKSSZGET" },   { 0x8912, "SIOCGIFCONF" },
	{ 0x8913, "SIOCGIFFLAGS" }, { 0x8933, "SIOCGIFINDEX" },
	{ 0x40049409, "FICLONE" }, { 0x80086601, "FS_IOC_GETFLAGS" },
};

static const struct call_flag advices[] = {
	{ 0, "MADV_NORMAL" },	  { 1, "MADV_RANDOM" },
	{ 2, "MADV_SEQUENTIAL" }, { 3, "MADV_WILLNEED" },
	{ 4, "MADV_DONTNEED" },	  { 8, "MADV_FREE" },
	{ 10, "MADV_DONTFORK" },  { 12, "MADV_MERGEABLE" },
	{ 14, "MADV_HUGEPAGE" },  { 15, "MADV_NOHUGEPAGE" },
	{ 16, "MADV_DONTDUMP" },  { 21, "MADV_PAGEOUT" },
};

static const struct call_flag resources[] = {
	{ 0, "RLIMIT_CPU" },	   { 1, "RLIMIT_FSIZE" },
	{ 2, "RLIMIT_DATA" },	   { 3, "RLIMIT_STACK" },
	{ 4, "RLIMIT_CORE" },	   { 5, "RLIMIT_RSS" },
	{ 6, "RLIMIT_NPROC" },	   { 7, "RLIMIT_NOFILE" },
	{ 8, "RLIMIT_MEMLOCK" },   { 9, "RLIMIT_AS" },
	{ 10, "RLIMIT_LOCKS" },	   { 11, "RLIMIT_SIGPENDING" },
	{ 12, "RLIMIT_MSGQUEUE" }, { 13, "RLIMIT_NICE" },
	{ 14, "RLIMIT_RTPRIO" },   { 15, "RLIMIT_RTTIME" },
};

static const struct call_flag socket_options[] = {
	{ 1, "SO_DEBUG" },	{ 2, "SO_REUSEADDR" },
	{ 3, "SO_TYPE" },	{ 4, "SO_ERROR" },
	{ 5, "SO_DONTROUTE" },	{ 6, "SO_BROADCAST" },
	{ 7, "SO_SNDBUF" },	{ 8, "SO_RCVBUF" },
	{ 9, "SO_KEEPALIVE" },	{ 12, "SO_PRIORITY" },
	{ 13, "SO_LINGER" },	{ 15, "SO_REUSEPORT" },
	{ 16, "SO_PASSCRED" },	{ 17, "SO_PEERCRED" },
	{ 18, "SO_RCVLOWAT" },	{ 20, "SO_RCVTIMEO_OLD" },
	{ 21, "SO_SNDTIMEO_OLD" }, { 25, "SO_BINDTODEVICE" },
	{ 30, "SO_ACCEPTCONN" }, { 31, "SO_PEERSEC" },
	{ 32, "SO_SNDBUFFORCE" }, { 33, "SO_RCVBUFFORCE" },
	{ 38, "SO_PROTOCOL" },	{ 39, "SO_DOMAIN" },
};

static const struct call_flag tcp_options[] = {
	{ 1, "TCP_NODELAY" },	  { 2, "TCP_MAXSEG" },
	{ 3, "TCP_CORK" },	  { 4, "TCP_KEEPIDLE" },
	{ 5, "TCP_KEEPINTVL" },	  { 6, "TCP_KEEPCNT" },
	{ 9, "TCP_DEFER_ACCEPT" }, { 11, "TCP_INFO" },
	{ 12, "TCP_QUICKACK" },	  { 13, "TCP_CONGESTION" },
	{ 18, "TCP_USER_TIMEOUT" }, { 23, "TCP_FASTOPEN" },
};

static const struct call_flag message_flags[] = {
	{ 1, "MSG_OOB" },	  { 2, "MSG_PEEK" },
	{ 4, "MSG_DONTROUTE" },	  { 0x20, "MSG_TRUNC" },
	{ 0x40, "MSG_DONTWAIT" }, { 0x80, "MSG_EOR" },
	{ 0x100, "MSG_WAITALL" }, { 0x2000, "MSG_ERRQUEUE" },
	{ 0x4000, "MSG_NOSIGNAL" }, { 0x8000, "MSG_MORE" },
	{ 0x40000000, "MSG_CMSG_CLOEXEC" },
};

static const struct call_flag poll_events[] = {
	{ 1, "POLLIN" },     { 2, "POLLPRI" },	    { 4, "POLLOUT" },
	{ 0x40, "POLLRDNORM" }, { 0x80, "POLLRDBAND" },
	{ 0x100, "POLLWRNORM" }, { 0x200, "POLLWRBAND" },
	{ 8, "POLLERR" },    { 0x10, "POLLHUP" },   { 0x20, "POLLNVAL" },
	{ 0x2000, "POLLRDHUP" },
};

static const struct call_flag epoll_events[] = {
	{ 1, "EPOLLIN" },	 { 2, "EPOLLPRI" },	{ 4, "EPOLLOUT" },
	{ 0x40, "EPOLLRDNORM" }, { 0x80, "EPOLLRDBAND" },
	{ 0x100, "EPOLLWRNORM" }, { 0x200, "EPOLLWRBAND" },
	{ 8, "EPOLLERR" },	 { 0x10, "EPOLLHUP" },
	{ 0x2000, "EPOLLRDHUP" }, { 1u << 28, "EPOLLEXCLUSIVE" },
	{ 1u << 29, "EPOLLWAKEUP" }, { 1u << 30, "EPOLLONESHOT" },
	{ 1u << 31, "EPOLLET" },
};

/* include/uapi/asm-generic/signal.h */
static const struct call_flag action_flags[] = {
	{ 0x04000000, "SA_RESTORER" },	{ 0x08000000, "SA_ONSTACK" },
	{ 0x10000000, "SA_RESTART" },	{ 0x40000000, "SA_NODEFER" },
	{ 0x80000000, "SA_RESETHAND" }, { 1, "SA_NOCLDSTOP" },
	{ 2, "SA_NOCLDWAIT" },		{ 4, "SA_SIGINFO" },
};

static const struct call_flag file_types[] = {
	{ 0140000, "S_IFSOCK" }, { 0120000, "S_IFLNK" },
	{ 0100000, "S_IFREG" },	 { 060000, "S_IFBLK" },
	{ 040000, "S_IFDIR" },	 { 020000, "S_IFCHR" },
	{ 010000, "S_IFIFO" },
};

static const struct call_flag mode_bits[] = {
	{ 04000, "S_ISUID" }, { 02000, "S_ISGID" }, { 01000, "S_ISVTX" },
};

/* clang-format on */

static const struct call_flag flocks[] = {
	{ 1, "LOCK_SH" },
	{ 2, "LOCK_EX" },
	{ 8, "LOCK_UN" },
	{ 4, "LOCK_NB" },
};

static const struct call_flag rename_flags[] = {
	{ 1, "RENAME_NOREPLACE" },
	{ 2, "RENAME_EXCHANGE" },
	{ 4, "RENAME_WHITEOUT" },
};

static const struct call_flag mask_hows[] = {
	{ 0, "SIG_BLOCK" },
	{ 1, "SIG_UNBLOCK" },
	{ 2, "SIG_SETMASK" },
};

static const struct call_flag wait_options[] = {
	{ 1, "WNOHANG" },	  { 2, "WSTOPPED" },
	{ 4, "WEXITED" },	  { 8, "WCONTINUED" },
	{ 0x1000000, "WNOWAIT" }, { 0x20000000, "__WNOTHREAD" },
	{ 0x40000000, "__WALL" }, { 0x80000000, "__WCLONE" },
};

static const struct call_flag shutdowns[] = {
	{ 0, "SHUT_RD" },
	{ 1, "SHUT_WR" },
	{ 2, "SHUT_RDWR" },
};

static const struct call_flag random_flags[] = {
	{ 1, "GRND_NONBLOCK" },
	{ 2, "GRND_RANDOM" },
	{ 4, "GRND_INSECURE" },
};

static const struct call_flag levels[] = {
	{ 0, "SOL_IP" },   { 1, "SOL_SOCKET" }, { 6, "SOL_TCP" },
	{ 17, "SOL_UDP" }, { 41, "SOL_IPV6" },
};

static const struct call_flag arch_prctls[] = {
	{ 0x1001, "ARCH_SET_GS" },
	{ 0x1002, "ARCH_SET_FS" },
	{ 0x1003, "ARCH_GET_FS" },
	{ 0x1004, "ARCH_GET_GS" },
};

static const struct call_flag timer_flags[] = { { 1, "TIMER_ABSTIME" } };

#define FLAGS(list) list, sizeof(list) / sizeof(*list)

static void write_directory(FILE *out, uint64_t value)
{
	enum { AT_FDCWD_VALUE = -100 };

	if ((int32_t)value == AT_FDCWD_VALUE)
		fputs("AT_FDCWD", out);
	else
		fprintf(out, "%" PRId32, (int32_t)value);
}

void call_signal_write(FILE *out, int number)
{
	const char *name = sigabbrev_np(number);

	if (name)
		fprintf(out, "SIG%s", name);
	else
		fprintf(out, "%d", number);
}

void call_poll_events_write(FILE *out, uint16_t events)
{
	call_flags_write(out, FLAGS(poll_events), events);
}

void call_epoll_events_write(FILE *out, uint32_t events)
{
	call_flags_write(out, FLAGS(epoll_events), events);
}

void call_action_flags_write(FILE *out, uint64_t value)
{
	call_flags_write(out, FLAGS(action_flags), value);
}

void call_file_mode_write(FILE *out, uint32_t mode)
{
	enum { TYPE = 0170000, SPECIAL = 07000, PERMISSIONS = 0777 };

	call_flags_name(out, FLAGS(file_types), mode & TYPE);
	fputc('|', out);
	if (mode & SPECIAL) {
		call_flags_write(out, FLAGS(mode_bits), mode & SPECIAL);
		fputc('|', out);
	}
	fprintf(out, "%#03o", mode & PERMISSIONS);
}

static void write_open_flags(FILE *out, uint64_t value, bool is_arm)
{
	bool is_read = !(value & 3);

	fputs(is_read && value ? "O_RDONLY|" : "", out);
	if (is_arm)
		call_flags_write(out, FLAGS(open_flags_of_arm), value);
	else
		call_flags_write(out, FLAGS(open_flags), value);
}

static void write_futex(FILE *out, uint64_t value)
{
	enum { PRIVATE = 0x80, REALTIME = 0x100 };

	call_flags_name(out, FLAGS(futex_commands),
			value & ~(uint64_t)(PRIVATE | REALTIME));
	fputs(value & PRIVATE ? "_PRIVATE" : "", out);
	fputs(value & REALTIME ? "|FUTEX_CLOCK_REALTIME" : "", out);
}

static void write_socket_type(FILE *out, uint64_t value)
{
	enum { TYPE = 0xf };

	call_flags_name(out, FLAGS(socket_types), value & TYPE);
	if (value & ~(uint64_t)TYPE) {
		fputc('|', out);
		call_flags_write(out, FLAGS(socket_flags),
				 value & ~(uint64_t)TYPE);
	}
}

/* Writes clone()'s flags, whose lowest byte is the signal sent when the child
 * ends.
 */
static void write_clone_flags(FILE *out, uint64_t value)
{
	enum { CSIGNAL_MASK = 0xff };
	uint64_t flags = value & ~(uint64_t)CSIGNAL_MASK;
	int number = (int)(value & CSIGNAL_MASK);

	if (flags || !number)
		call_flags_write(out, FLAGS(clone_flags), flags);
	if (number) {
		fputs(flags ? "|" : "", out);
		call_signal_write(out, number);
	}
}

static void write_pointer(FILE *out, uint64_t value)
{
	if (value)
		fprintf(out, "0x%" PRIx64, value);
	else
		fputs("NULL", out);
}

static const char addresses[] = {
	CALL_POINTER,	 CALL_SOCKADDR,	   CALL_SOCKADDR_SIZE,
	CALL_TIMESPEC,	 CALL_TIMESPECS,   CALL_ITIMERSPEC,
	CALL_ITIMERVAL,	 CALL_STAT,	   CALL_STATX,
	CALL_POLLFDS,	 CALL_EPOLL_EVENT, CALL_EPOLL_EVENTS,
	CALL_IOVECS,	 CALL_SIGSET,	   CALL_SIGACTION,
	CALL_STATUS,	 CALL_RLIMIT,	   CALL_UTSNAME,
	CALL_MESSAGE,	 CALL_OPTION,	   CALL_DESCRIPTORS,
	CALL_CLONE_ARGS, CALL_OPEN_HOW,	   '\0',
};

bool call_value_is_address(char letter)
{
	return letter && strchr(addresses, letter);
}

/* Values that have names, one each or one for each bit. */
static const struct named {
	char letter;
	bool is_bits;
	const struct call_flag *flags;
	size_t count;
} named[] = {
	{ CALL_AT_FLAGS, true, FLAGS(at_flags) },
	{ CALL_REMOVE_FLAGS, true, FLAGS(remove_flags) },
	{ CALL_ACCESS, true, FLAGS(access_modes) },
	{ CALL_PROTECTION, true, FLAGS(protections) },
	{ CALL_MAP_FLAGS, true, FLAGS(map_flags) },
	{ CALL_WHENCE, false, FLAGS(whences) },
	{ CALL_CLOCK, false, FLAGS(clocks) },
	{ CALL_FAMILY, false, FLAGS(families) },
	{ CALL_SOCKET_FLAGS, true, FLAGS(socket_flags) },
	{ CALL_PROTOCOL, false, FLAGS(protocols) },
	{ CALL_FCNTL, false, FLAGS(fcntl_commands) },
	{ CALL_EPOLL, false, FLAGS(epoll_commands) },
	{ CALL_EPOLL_FLAGS, true, FLAGS(epoll_flags) },
	{ CALL_EVENTFD_FLAGS, true, FLAGS(eventfd_flags) },
	{ CALL_PIPE_FLAGS, true, FLAGS(pipe_flags) },
	{ CALL_TIMERFD_FLAGS, true, FLAGS(timerfd_flags) },
	{ CALL_INOTIFY_FLAGS, true, FLAGS(inotify_flags) },
	{ CALL_SIGNALFD_FLAGS, true, FLAGS(signalfd_flags) },
	{ CALL_MEMFD_FLAGS, true, FLAGS(memfd_flags) },
	{ CALL_ADVICE, false, FLAGS(advices) },
	{ CALL_FLOCK, true, FLAGS(flocks) },
	{ CALL_RENAME_FLAGS, true, FLAGS(rename_flags) },
	{ CALL_MASK_HOW, false, FLAGS(mask_hows) },
	{ CALL_WAIT_OPTIONS, true, FLAGS(wait_options) },
	{ CALL_RESOURCE, false, FLAGS(resources) },
	{ CALL_SHUTDOWN, false, FLAGS(shutdowns) },
	{ CALL_RANDOM_FLAGS, true, FLAGS(random_flags) },
	{ CALL_MESSAGE_FLAGS, true, FLAGS(message_flags) },
	{ CALL_LEVEL, false, FLAGS(levels) },
	{ CALL_SOCKET_OPTION, false, FLAGS(socket_options) },
	{ CALL_TCP_OPTION, false, FLAGS(tcp_options) },
	{ CALL_ARCH_PRCTL, false, FLAGS(arch_prctls) },
	{ CALL_TIMER_FLAGS, true, FLAGS(timer_flags) },
};

static bool write_named(FILE *out, char letter, uint64_t value)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
		if (named[i].letter != letter)
			continue;
		(named[i].is_bits ? call_flags_write : call_flags_name)(
			out, named[i].flags, named[i].count, value);
		return true;
	}
	return false;
}

static void write_ioctl(FILE *out, uint32_t value)
{
	const char *name = name_of(FLAGS(ioctls), value);

	if (name)
		fputs(name, out);
	else
		fprintf(out, "0x%" PRIx32, value);
}

static void write_hex(FILE *out, uint64_t value)
{
	fprintf(out, value ? "0x%" PRIx64 : "%" PRIx64, value);
}

void call_value_write(FILE *out, char letter, uint64_t value, bool is_arm)
{
	switch (letter) {
	case CALL_INT:
		fprintf(out, "%" PRId32, (int32_t)value);
		return;
	case CALL_LONG:
		fprintf(out, "%" PRId64, (int64_t)value);
		return;
	case CALL_SIZE:
		fprintf(out, "%" PRIu64, value);
		return;
	case CALL_HEX:
	case CALL_OFFSET:
		write_hex(out, value);
		return;
	case CALL_MODE:
	case CALL_NEW_MODE:
		fprintf(out, "%#03" PRIo64, value);
		return;
	case CALL_DIRECTORY:
		write_directory(out, value);
		return;
	case CALL_OPEN_FLAGS:
		write_open_flags(out, (uint32_t)value, is_arm);
		return;
	case CALL_CLONE_FLAGS:
		write_clone_flags(out, value);
		return;
	case CALL_SIGNAL:
		call_signal_write(out, (int)value);
		return;
	case CALL_FUTEX:
		write_futex(out, (uint32_t)value);
		return;
	case CALL_SOCKET_TYPE:
		write_socket_type(out, (uint32_t)value);
		return;
	case CALL_IOCTL:
		write_ioctl(out, (uint32_t)value);
		return;
	default:
		break;
	}
	if (call_value_is_address(letter))
		write_pointer(out, value);
	else if (!write_named(out, letter, (uint32_t)value))
		write_hex(out, value);
}
