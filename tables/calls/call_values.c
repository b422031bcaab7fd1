/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_values.h"

#include "tables/calls/call_flags.h"
#include "tables/calls/call_signature.h"

#include <inttypes.h>
#include <string.h>

/* include/uapi/asm-generic/fcntl.h; of O_ACCMODE only the nonzero values. */
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
	{ 0, "FUTEX_WAIT" },	     { 1, "FUTEX_WAKE" },
	{ 3, "FUTEX_REQUEUE" },	     { 4, "FUTEX_CMP_REQUEUE" },
	{ 5, "FUTEX_WAKE_OP" },	     { 6, "FUTEX_LOCK_PI" },
	{ 7, "FUTEX_UNLOCK_PI" },    { 9, "FUTEX_WAIT_BITSET" },
	{ 10, "FUTEX_WAKE_BITSET" },
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

#define FLAGS(list) list, sizeof(list) / sizeof(*list)

static void write_directory(FILE *out, uint64_t value)
{
	enum { AT_FDCWD_VALUE = -100 };

	if ((int32_t)value == AT_FDCWD_VALUE)
		fputs("AT_FDCWD", out);
	else
		fprintf(out, "%" PRId32, (int32_t)value);
}

static void write_signal(FILE *out, int number)
{
	const char *name = sigabbrev_np(number);

	if (name)
		fprintf(out, "SIG%s", name);
	else
		fprintf(out, "%d", number);
}

static void write_open_flags(FILE *out, uint64_t value, bool is_arm)
{
	bool is_read = !(value & 3) && !(value & 010000000);

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
	fputs(value & PRIVATE ? "|FUTEX_PRIVATE_FLAG" : "", out);
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

/* The lowest byte of clone()'s flags is the signal sent when the child ends. */
static void write_clone_flags(FILE *out, uint64_t value)
{
	enum { CSIGNAL_MASK = 0xff };
	uint64_t flags = value & ~(uint64_t)CSIGNAL_MASK;
	int number = (int)(value & CSIGNAL_MASK);

	if (flags || !number)
		call_flags_write(out, FLAGS(clone_flags), flags);
	if (number) {
		fputs(flags ? "|" : "", out);
		write_signal(out, number);
	}
}

static void write_pointer(FILE *out, uint64_t value)
{
	if (value)
		fprintf(out, "0x%" PRIx64, value);
	else
		fputs("NULL", out);
}

void call_value_write(FILE *out, char letter, uint64_t value, bool is_arm)
{
	switch ((enum call_value)letter) {
	case CALL_INT:
		fprintf(out, "%" PRId32, (int32_t)value);
		return;
	case CALL_LONG:
		fprintf(out, "%" PRId64, (int64_t)value);
		return;
	case CALL_SIZE:
		fprintf(out, "%" PRIu64, value);
		return;
	case CALL_POINTER:
		write_pointer(out, value);
		return;
	case CALL_HEX:
		fprintf(out, value ? "0x%" PRIx64 : "%" PRIx64, value);
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
	case CALL_AT_FLAGS:
		call_flags_write(out, FLAGS(at_flags), (uint32_t)value);
		return;
	case CALL_ACCESS:
		call_flags_write(out, FLAGS(access_modes), (uint32_t)value);
		return;
	case CALL_PROTECTION:
		call_flags_write(out, FLAGS(protections), value);
		return;
	case CALL_MAP_FLAGS:
		call_flags_write(out, FLAGS(map_flags), value);
		return;
	case CALL_CLONE_FLAGS:
		write_clone_flags(out, value);
		return;
	case CALL_SIGNAL:
		write_signal(out, (int)value);
		return;
	case CALL_WHENCE:
		call_flags_name(out, FLAGS(whences), (uint32_t)value);
		return;
	case CALL_FUTEX:
		write_futex(out, (uint32_t)value);
		return;
	case CALL_CLOCK:
		call_flags_name(out, FLAGS(clocks), (uint32_t)value);
		return;
	case CALL_FAMILY:
		call_flags_name(out, FLAGS(families), (uint32_t)value);
		return;
	case CALL_SOCKET_TYPE:
		write_socket_type(out, (uint32_t)value);
		return;
	case CALL_FCNTL:
		call_flags_name(out, FLAGS(fcntl_commands), (uint32_t)value);
		return;
	case CALL_EPOLL:
		call_flags_name(out, FLAGS(epoll_commands), (uint32_t)value);
		return;
	}
}
