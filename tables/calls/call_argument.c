/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_argument.h"

#include "attribution/calls/system_calls.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Names of the numbers in arguments of system calls, as in the kernel's headers
 * for programs (include/uapi). They are the same on all architectures unless
 * noted.
 */
struct call_flag {
	uint64_t value;
	const char *name;
};

/* Format of an argument or result of a system call. The letters make up
 * signatures.
 */
enum call_value {
	CALL_INT = 'd',	    /* int: a descriptor, a process, a count */
	CALL_LONG = 'l',    /* long: an offset */
	CALL_SIZE = 'u',    /* unsigned long */
	CALL_POINTER = 'p', /* NULL or an address */
	CALL_HEX = 'x',
	CALL_MODE = 'o', /* of a file, in octal */
	/* like CALL_MODE; only present if a file is created */
	CALL_NEW_MODE = 'm',
	CALL_DIRECTORY = 'D', /* a descriptor or AT_FDCWD */
	CALL_OPEN_FLAGS = 'O',
	CALL_AT_FLAGS = 'F',
	CALL_ACCESS = 'A',     /* R_OK ... */
	CALL_PROTECTION = 'P', /* PROT_READ ... */
	CALL_MAP_FLAGS = 'M',
	CALL_CLONE_FLAGS = 'C',
	CALL_SIGNAL = 'S',
	CALL_WHENCE = 'W',	/* SEEK_SET ... */
	CALL_FUTEX = 'f',	/* FUTEX_WAIT ... */
	CALL_CLOCK = 'c',	/* CLOCK_MONOTONIC ... */
	CALL_FAMILY = 't',	/* AF_UNIX ... */
	CALL_SOCKET_TYPE = 'T', /* SOCK_STREAM ... */
	CALL_FCNTL = 'n',	/* F_GETFL ... */
	CALL_EPOLL = 'e',	/* EPOLL_CTL_ADD ... */
};

/* Flags that create a file, from fcntl.h; CALL_O_TMPFILE is without
 * O_DIRECTORY, whose value depends on the architecture.
 */
#define CALL_O_CREAT 0100
#define CALL_O_TMPFILE 020000000

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

struct signature {
	const char *name;
	const char *values;
};

/* Sorted by name; some names are the kernel's, such as newfstatat. */
/* clang-format off */
static const struct signature signatures[] = {
	{ "accept", "ddpp" }, { "accept4", "ddppT" }, { "access", "dpA" },
	{ "alarm", "uu" }, { "arch_prctl", "dxp" }, { "bind", "ddpd" },
	{ "brk", "pp" }, { "capget", "dpp" }, { "capset", "dpp" },
	{ "chdir", "dp" }, { "chmod", "dpo" }, { "chown", "dpdd" },
	{ "clock_getres", "dcp" }, { "clock_gettime", "dcp" },
	{ "clock_nanosleep", "dcdpp" }, { "clock_settime", "dcp" },
	{ "clone", "dCpppp" }, { "clone3", "dpu" }, { "close", "dd" },
	{ "close_range", "dddx" }, { "connect", "ddpd" },
	{ "copy_file_range", "ldpdpux" }, { "creat", "dpo" }, { "dup", "dd" },
	{ "dup2", "ddd" }, { "dup3", "dddO" }, { "epoll_create", "dd" },
	{ "epoll_create1", "dO" }, { "epoll_ctl", "ddedp" },
	{ "epoll_pwait", "ddpddpu" }, { "epoll_pwait2", "ddpdppu" },
	{ "epoll_wait", "ddpdd" }, { "eventfd", "du" }, { "eventfd2", "duO" },
	{ "execve", "dppp" }, { "execveat", "dDpppF" }, { "exit", "dd" },
	{ "exit_group", "dd" }, { "faccessat", "dDpA" },
	{ "faccessat2", "dDpAF" }, { "fadvise64", "ddlld" },
	{ "fallocate", "ddxll" }, { "fchdir", "dd" }, { "fchmod", "ddo" },
	{ "fchmodat", "dDpo" }, { "fchown", "dddd" }, { "fchownat", "dDpddF" },
	{ "fcntl", "ddnx" }, { "fdatasync", "dd" }, { "fgetxattr", "ldppu" },
	{ "flock", "ddd" }, { "fork", "d" }, { "fstat", "ddp" },
	{ "fstatfs", "ddp" }, { "fsync", "dd" }, { "ftruncate", "ddl" },
	{ "futex", "dpfdppd" }, { "futex_waitv", "dpdxpc" },
	{ "getcpu", "dppp" }, { "getcwd", "dpu" }, { "getdents", "ddpu" },
	{ "getdents64", "ddpu" }, { "getegid", "d" }, { "geteuid", "d" },
	{ "getgid", "d" }, { "getgroups", "ddp" }, { "getitimer", "ddp" },
	{ "getpeername", "ddpp" }, { "getpgid", "dd" }, { "getpgrp", "d" },
	{ "getpid", "d" }, { "getppid", "d" }, { "getpriority", "ddd" },
	{ "getrandom", "lpux" }, { "getresgid", "dppp" },
	{ "getresuid", "dppp" }, { "getrlimit", "ddp" },
	{ "getrusage", "ddp" }, { "getsid", "dd" }, { "getsockname", "ddpp" },
	{ "getsockopt", "ddddpp" }, { "gettid", "d" },
	{ "gettimeofday", "dpp" }, { "getuid", "d" }, { "getxattr", "lpppu" },
	{ "inotify_add_watch", "ddpx" }, { "inotify_init", "d" },
	{ "inotify_init1", "dO" }, { "inotify_rm_watch", "ddd" },
	{ "io_destroy", "dp" }, { "io_getevents", "dpllpp" },
	{ "io_setup", "dup" }, { "io_submit", "dplp" },
	{ "io_uring_enter", "ddddxpu" }, { "io_uring_register", "dddpd" },
	{ "io_uring_setup", "dup" }, { "ioctl", "ddxx" }, { "kill", "ddS" },
	{ "lchown", "dpdd" }, { "lgetxattr", "lpppu" }, { "link", "dpp" },
	{ "linkat", "dDpDpF" }, { "listen", "ddd" }, { "listxattr", "lppu" },
	{ "lseek", "ldlW" }, { "lstat", "dpp" }, { "madvise", "dpud" },
	{ "membarrier", "ddxd" }, { "memfd_create", "dpx" },
	{ "mincore", "dpup" }, { "mkdir", "dpo" }, { "mkdirat", "dDpo" },
	{ "mknod", "dpox" }, { "mknodat", "dDpox" }, { "mlock", "dpu" },
	{ "mmap", "ppuPMdl" }, { "mount", "dpppxp" }, { "mprotect", "dpuP" },
	{ "mremap", "ppuuxp" }, { "msync", "dpux" }, { "munlock", "dpu" },
	{ "munmap", "dpu" }, { "name_to_handle_at", "dDpppF" },
	{ "nanosleep", "dpp" }, { "newfstat", "ddp" },
	{ "newfstatat", "dDppF" }, { "newlstat", "dpp" }, { "newstat", "dpp" },
	{ "newuname", "dp" }, { "open", "dpOm" }, { "openat", "dDpOm" },
	{ "openat2", "dDppu" }, { "pause", "d" }, { "pidfd_open", "ddx" },
	{ "pidfd_send_signal", "ddSpx" }, { "pipe", "dp" }, { "pipe2", "dpO" },
	{ "poll", "dpdd" }, { "ppoll", "dpdppu" }, { "prctl", "ddxxxx" },
	{ "pread64", "ldpul" }, { "preadv", "ldpull" },
	{ "preadv2", "ldpullx" }, { "prlimit64", "dddpp" },
	{ "process_vm_readv", "ldpupux" }, { "pselect6", "ddppppp" },
	{ "ptrace", "lxdpp" }, { "pwrite64", "ldpul" },
	{ "pwritev", "ldpull" }, { "pwritev2", "ldpullx" },
	{ "quotactl", "dxpdp" }, { "read", "ldpu" }, { "readahead", "ldlu" },
	{ "readlink", "lppd" }, { "readlinkat", "lDppd" }, { "readv", "ldpu" },
	{ "recvfrom", "ldpuxpp" }, { "recvmmsg", "ddpdxp" },
	{ "recvmsg", "ldpx" }, { "rename", "dpp" }, { "renameat", "dDpDp" },
	{ "renameat2", "dDpDpx" }, { "rmdir", "dp" }, { "rseq", "dpdxx" },
	{ "rt_sigaction", "dSppu" }, { "rt_sigpending", "dpu" },
	{ "rt_sigprocmask", "ddppu" }, { "rt_sigqueueinfo", "ddSp" },
	{ "rt_sigreturn", "l" }, { "rt_sigsuspend", "dpu" },
	{ "rt_sigtimedwait", "dpppu" }, { "sched_get_priority_max", "dd" },
	{ "sched_get_priority_min", "dd" }, { "sched_getaffinity", "ddup" },
	{ "sched_getattr", "ddpux" }, { "sched_getparam", "ddp" },
	{ "sched_getscheduler", "dd" }, { "sched_setaffinity", "ddup" },
	{ "sched_setattr", "ddpx" }, { "sched_setparam", "ddp" },
	{ "sched_setscheduler", "dddp" }, { "sched_yield", "d" },
	{ "select", "ddpppp" }, { "sendfile", "lddpu" },
	{ "sendfile64", "lddpu" }, { "sendmmsg", "ddpdx" },
	{ "sendmsg", "ldpx" }, { "sendto", "ldpuxpd" },
	{ "set_robust_list", "dpu" }, { "set_tid_address", "dp" },
	{ "setgid", "dd" }, { "setgroups", "ddp" }, { "setitimer", "ddpp" },
	{ "setpgid", "ddd" }, { "setpriority", "dddd" },
	{ "setresgid", "dddd" }, { "setresuid", "dddd" },
	{ "setrlimit", "ddp" }, { "setsid", "d" }, { "setsockopt", "ddddpd" },
	{ "setuid", "dd" }, { "shutdown", "ddd" }, { "sigaltstack", "dpp" },
	{ "signalfd", "ddpu" }, { "signalfd4", "ddpuO" }, { "socket", "dtTd" },
	{ "socketpair", "dtTdp" }, { "splice", "ldpdpux" }, { "stat", "dpp" },
	{ "statfs", "dpp" }, { "statx", "dDpFxp" }, { "symlink", "dpp" },
	{ "symlinkat", "dpDp" }, { "sync", "d" },
	{ "sync_file_range", "ddllx" }, { "syncfs", "dd" },
	{ "sysinfo", "dp" }, { "tee", "lddux" }, { "tgkill", "dddS" },
	{ "time", "lp" }, { "timer_create", "dcpp" }, { "timer_delete", "dd" },
	{ "timer_settime", "ddxpp" }, { "timerfd_create", "dcO" },
	{ "timerfd_gettime", "ddp" }, { "timerfd_settime", "ddxpp" },
	{ "times", "lp" }, { "tkill", "ddS" }, { "truncate", "dpl" },
	{ "umask", "oo" }, { "umount", "dpx" }, { "umount2", "dpx" },
	{ "uname", "dp" }, { "unlink", "dp" }, { "unlinkat", "dDpF" },
	{ "unshare", "dC" }, { "utime", "dpp" }, { "utimensat", "dDppF" },
	{ "utimes", "dpp" }, { "vfork", "d" }, { "vmsplice", "ldpux" },
	{ "wait4", "ddpxp" }, { "waitid", "dddpxp" }, { "write", "ldpu" },
	{ "writev", "ldpu" },
};

/* clang-format on */

static int compare(const void *name, const void *signature)
{
	return strcmp(name, ((const struct signature *)signature)->name);
}

const char *call_signature(const char *name)
{
	const struct signature *found = bsearch(
		name, signatures, sizeof(signatures) / sizeof(*signatures),
		sizeof(*signatures), compare);

	return found ? found->values : NULL;
}

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

/* Writes @value in the format @letter, an enum call_value. @is_arm: the numbers
 * are those of Arm's kernels.
 */
static void call_value_write(FILE *out, char letter, uint64_t value,
			     bool is_arm)
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

enum { MAX_ERRNO = 4095 };

/* For calls of other kernels' headers: six numbers, the maximum. */
static const char unknown[] = "lxxxxxx";

static const char *signature_of(const char *name)
{
	const char *signature = call_signature(name);

	return signature ? signature : unknown;
}

/* Returns whether the call may create a file: with O_CREAT or O_TMPFILE, which
 * includes O_DIRECTORY.
 */
static bool makes_file(const struct system_call *call, const char *letters)
{
	const char *flags = strchr(letters, CALL_OPEN_FLAGS);

	return !flags || call->arguments[flags - letters] &
				 (CALL_O_CREAT | CALL_O_TMPFILE);
}

void call_arguments_write(const struct system_call *call, const char *name,
			  bool is_arm, FILE *out)
{
	const char *letters = signature_of(name) + 1;

	if (!call->has_enter) {
		fputs(letters[0] ? "(...)" : "()", out);
		return;
	}
	fputc('(', out);
	for (int i = 0; letters[i] && i < SYSTEM_CALL_ARGUMENTS; i++) {
		if (letters[i] == CALL_NEW_MODE && !makes_file(call, letters))
			continue;
		fputs(i ? ", " : "", out);
		call_value_write(out, letters[i], call->arguments[i], is_arm);
	}
	fputc(')', out);
}

static void write_error(int error, FILE *out)
{
	const char *name = strerrorname_np(error);

	if (name)
		fprintf(out, " = -1 %s (%s)", name, strerrordesc_np(error));
	else
		fprintf(out, " = -1 (error %d)", error);
}

void call_result_write(const struct system_call *call, const char *name,
		       FILE *out)
{
	if (!call->has_exit) {
		fputs(" = ?", out);
	} else if (system_call_is_restart(call->result)) {
		fputs(" = ? (made again)", out);
	} else if (call->result < 0 && call->result >= -MAX_ERRNO) {
		write_error((int)-call->result, out);
	} else {
		fputs(" = ", out);
		call_value_write(out, *signature_of(name),
				 (uint64_t)call->result, false);
	}
}
