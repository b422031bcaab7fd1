/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_argument.h"

#include "attribution/calls/call_items.h"
#include "attribution/calls/system_calls.h"
#include "tables/calls/call_value_internal.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct signature {
	const char *name;
	const char *values;
};

/* Sorted by name; some names are the kernel's, such as newfstatat. */
/* clang-format off */
static const struct signature signatures[] = {
	{ "accept", "ddkw" }, { "accept4", "ddkw4" }, { "access", "dpA" },
	{ "alarm", "uu" }, { "arch_prctl", "dzp" }, { "bind", "ddkd" },
	{ "brk", "pp" }, { "capget", "dpp" }, { "capset", "dpp" },
	{ "chdir", "dp" }, { "chmod", "dpo" }, { "chown", "dpdd" },
	{ "clock_getres", "dcs" }, { "clock_gettime", "dcs" },
	{ "clock_nanosleep", "dcZss" }, { "clock_settime", "dcs" },
	{ "clone", "dCpppp" }, { "clone3", "dhu" }, { "close", "dd" },
	{ "close_range", "dddx" }, { "connect", "ddkd" },
	{ "copy_file_range", "ldpdpux" }, { "creat", "dpo" }, { "dup", "dd" },
	{ "dup2", "ddd" }, { "dup3", "ddd$" }, { "epoll_create", "dd" },
	{ "epoll_create1", "dj" }, { "epoll_ctl", "ddedE" },
	{ "epoll_pwait", "ddVddyu" }, { "epoll_pwait2", "ddVdsyu" },
	{ "epoll_wait", "ddVdd" }, { "eventfd", "du" }, { "eventfd2", "duQ" },
	{ "execve", "dppp" }, { "execveat", "dDpppF" }, { "exit", "dd" },
	{ "exit_group", "dd" }, { "faccessat", "dDpA" },
	{ "faccessat2", "dDpAF" }, { "fadvise64", "ddlld" },
	{ "fallocate", "ddxll" }, { "fchdir", "dd" }, { "fchmod", "ddo" },
	{ "fchmodat", "dDpo" }, { "fchown", "dddd" }, { "fchownat", "dDpddF" },
	{ "fcntl", "ddnx" }, { "fdatasync", "dd" }, { "fgetxattr", "ldppu" },
	{ "flock", "ddb" }, { "fork", "d" }, { "fstat", "ddg" },
	{ "fstatfs", "ddp" }, { "fsync", "dd" }, { "ftruncate", "ddl" },
	{ "futex", "dpfdspx" }, { "futex_waitv", "dpdxpc" },
	{ "getcpu", "dppp" }, { "getcwd", "dpu" }, { "getdents", "ddpu" },
	{ "getdents64", "ddpu" }, { "getegid", "d" }, { "geteuid", "d" },
	{ "getgid", "d" }, { "getgroups", "ddp" }, { "getitimer", "ddp" },
	{ "getpeername", "ddkw" }, { "getpgid", "dd" }, { "getpgrp", "d" },
	{ "getpid", "d" }, { "getppid", "d" }, { "getpriority", "ddd" },
	{ "getrandom", "lpu0" }, { "getresgid", "dppp" },
	{ "getresuid", "dppp" }, { "getrlimit", "d7U" },
	{ "getrusage", "ddp" }, { "getsid", "dd" }, { "getsockname", "ddkw" },
	{ "getsockopt", "ddB=pp" }, { "gettid", "d" },
	{ "gettimeofday", "dpp" }, { "getuid", "d" }, { "getxattr", "lpppu" },
	{ "inotify_add_watch", "ddpx" }, { "inotify_init", "d" },
	{ "inotify_init1", "d&" }, { "inotify_rm_watch", "ddd" },
	{ "io_destroy", "dp" }, { "io_getevents", "dpllpp" },
	{ "io_setup", "dup" }, { "io_submit", "dplp" },
	{ "io_uring_enter", "ddddxpu" }, { "io_uring_register", "dddpd" },
	{ "io_uring_setup", "dup" }, { "ioctl", "ddKx" }, { "kill", "ddS" },
	{ "lchown", "dpdd" }, { "lgetxattr", "lpppu" }, { "link", "dpp" },
	{ "linkat", "dDpDpF" }, { "listen", "ddd" }, { "listxattr", "lppu" },
	{ "lseek", "ldlW" }, { "lstat", "dpg" }, { "madvise", "dpua" },
	{ "membarrier", "ddxd" }, { "memfd_create", "dp!" },
	{ "mincore", "dpup" }, { "mkdir", "dpo" }, { "mkdirat", "dDpo" },
	{ "mknod", "dpox" }, { "mknodat", "dDpox" }, { "mlock", "dpu" },
	{ "mmap", "ppuPMdX" }, { "mount", "dpppxp" }, { "mprotect", "dpuP" },
	{ "mremap", "ppuuxp" }, { "msync", "dpux" }, { "munlock", "dpu" },
	{ "munmap", "dpu" }, { "name_to_handle_at", "dDpppF" },
	{ "nanosleep", "dss" }, { "newfstat", "ddg" },
	{ "newfstatat", "dDpgF" }, { "newlstat", "dpg" }, { "newstat", "dpg" },
	{ "newuname", "dN" }, { "open", "dpOm" }, { "openat", "dDpOm" },
	{ "openat2", "dDp@u" }, { "pause", "d" }, { "pidfd_open", "ddx" },
	{ "pidfd_send_signal", "ddSpx" }, { "pipe", "dq" }, { "pipe2", "dq$" },
	{ "poll", "dLdd" }, { "ppoll", "dLdsyu" }, { "prctl", "ddxxxx" },
	{ "pread64", "ldpul" }, { "preadv", "ldvull" },
	{ "preadv2", "ldvullx" }, { "prlimit64", "dd7UU" },
	{ "process_vm_readv", "ldpupux" }, { "pselect6", "ddppppp" },
	{ "ptrace", "lxdpp" }, { "pwrite64", "ldpul" },
	{ "pwritev", "ldvull" }, { "pwritev2", "ldvullx" },
	{ "quotactl", "dxpdp" }, { "read", "ldpu" }, { "readahead", "ldlu" },
	{ "readlink", "lppd" }, { "readlinkat", "lDppd" }, { "readv", "ldvu" },
	{ "recvfrom", "ldpu1kw" }, { "recvmmsg", "ddpd1s" },
	{ "recvmsg", "ldH1" }, { "rename", "dpp" }, { "renameat", "dDpDp" },
	{ "renameat2", "dDpDp8" }, { "rmdir", "dp" }, { "rseq", "dpxxx" },
	{ "rt_sigaction", "dSYYu" }, { "rt_sigpending", "dpu" },
	{ "rt_sigprocmask", "d5yyu" }, { "rt_sigqueueinfo", "ddSp" },
	{ "rt_sigreturn", "l" }, { "rt_sigsuspend", "dyu" },
	{ "rt_sigtimedwait", "dypsu" }, { "sched_get_priority_max", "dd" },
	{ "sched_get_priority_min", "dd" }, { "sched_getaffinity", "ddup" },
	{ "sched_getattr", "ddpux" }, { "sched_getparam", "ddp" },
	{ "sched_getscheduler", "dd" }, { "sched_setaffinity", "ddup" },
	{ "sched_setattr", "ddpx" }, { "sched_setparam", "ddp" },
	{ "sched_setscheduler", "dddp" }, { "sched_yield", "d" },
	{ "select", "ddpppp" }, { "sendfile", "lddpu" },
	{ "sendfile64", "lddpu" }, { "sendmmsg", "ddpd1" },
	{ "sendmsg", "ldH1" }, { "sendto", "ldpu1kd" },
	{ "set_robust_list", "dpu" }, { "set_tid_address", "dp" },
	{ "setgid", "dd" }, { "setgroups", "ddp" }, { "setitimer", "ddII" },
	{ "setpgid", "ddd" }, { "setpriority", "dddd" },
	{ "setresgid", "dddd" }, { "setresuid", "dddd" },
	{ "setrlimit", "d7U" }, { "setsid", "d" }, { "setsockopt", "ddB=3d" },
	{ "setuid", "dd" }, { "shutdown", "dd9" }, { "sigaltstack", "dpp" },
	{ "signalfd", "ddpu" }, { "signalfd4", "ddyu+" }, { "socket", "dtTJ" },
	{ "socketpair", "dtTJq" }, { "splice", "ldpdpux" }, { "stat", "dpg" },
	{ "statfs", "dpp" }, { "statx", "dDpFxG" }, { "symlink", "dpp" },
	{ "symlinkat", "dpDp" }, { "sync", "d" },
	{ "sync_file_range", "ddllx" }, { "syncfs", "dd" },
	{ "sysinfo", "dp" }, { "tee", "lddux" }, { "tgkill", "dddS" },
	{ "time", "lp" }, { "timer_create", "dcpp" }, { "timer_delete", "dd" },
	{ "timer_settime", "ddxpp" }, { "timerfd_create", "dc%" },
	{ "timerfd_gettime", "ddp" }, { "timerfd_settime", "ddxii" },
	{ "times", "lp" }, { "tkill", "ddS" }, { "truncate", "dpl" },
	{ "umask", "oo" }, { "umount", "dpx" }, { "umount2", "dpx" },
	{ "uname", "dN" }, { "unlink", "dp" }, { "unlinkat", "dDpr" },
	{ "unshare", "dC" }, { "utime", "dpp" }, { "utimensat", "dDp2F" },
	{ "utimes", "dpp" }, { "vfork", "d" }, { "vmsplice", "ldpux" },
	{ "wait4", "ddR6p" }, { "waitid", "dddpxp" }, { "write", "ldpu" },
	{ "writev", "ldvu" },
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

enum { MAX_ERRNO = 4095 };

/* The signature of calls that are not in the list: six numbers, the maximum. */
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

/* Returns the letters of the arguments that the kernel uses for a futex
 * @operation; '_' is one that it ignores.
 */
static const char *futex_letters(uint64_t operation)
{
	enum { COMMAND = 0x7f };
	static const char *const letters[] = {
		"pfds", "pfd", "pfd",	 "pfddp",  "pfddpd", "pfddpx", "pfs",
		"pf",	"pfs", "pfds_x", "pfd__x", "pfdsp",  "pfddpd", "pfs",
	};
	uint64_t command = operation & COMMAND;

	return command < sizeof(letters) / sizeof(*letters) ? letters[command] :
							      "pfdspx";
}

/* Commands of fcntl(). */
enum {
	DUPFD = 0,
	GETFD = 1,
	SETFD = 2,
	GETFL = 3,
	SETFL = 4,
	GETOWN = 9,
	DUPFD_CLOEXEC = 1030,
	GETPIPE = 1032,
	SEALS = 1034,
};

static const char *fcntl_letters(uint64_t command)
{
	return command == GETFD || command == GETFL || command == GETOWN ||
			       command == GETPIPE || command == SEALS ?
		       "dn" :
		       "dnx";
}

static bool makes_descriptor(const struct system_call *call)
{
	return call->arguments[1] == DUPFD ||
	       call->arguments[1] == DUPFD_CLOEXEC;
}

/* Returns the letters of the arguments that the call uses; '_' is one that it
 * ignores.
 */
static const char *letters_of(const struct system_call *call, const char *name)
{
	if (!strcmp(name, "futex"))
		return futex_letters(call->arguments[1]);
	if (!strcmp(name, "fcntl"))
		return fcntl_letters(call->arguments[1]);
	return signature_of(name) + 1;
}

static void write_fcntl_value(FILE *out, const struct system_call *call)
{
	uint64_t value = call->arguments[2];

	if (call->arguments[1] == SETFD && value == 1)
		fputs("FD_CLOEXEC", out);
	else if (call->arguments[1] == SETFL)
		call_value_write(out, CALL_OPEN_FLAGS, value, false);
	else
		call_value_write(out,
				 makes_descriptor(call) ? CALL_INT : CALL_HEX,
				 value, false);
}

/* Returns @letter, or the format to use instead if the value of the argument
 * @before this one, or the address @family of a socket, gives it another
 * meaning.
 */
static char letter_after(char letter, uint64_t before, uint64_t family)
{
	enum { SOCKET = 1, TCP = 6, IPV4 = 2, IPV6 = 10 };

	if (letter == CALL_SOCKET_OPTION && before != SOCKET)
		return before == TCP ? CALL_TCP_OPTION : CALL_INT;
	if (letter == CALL_PROTOCOL && family != IPV4 && family != IPV6)
		return CALL_INT;
	return letter;
}

static void write_argument(const struct system_call *call, char letter,
			   uint8_t number, bool is_arm, FILE *out)
{
	if (number)
		letter = letter_after(letter, call->arguments[number - 1],
				      call->arguments[0]);
	if (call_value_is_address(letter) &&
	    call_structure_write(out, letter, call->items, number, is_arm))
		return;
	call_value_write(out, letter, call->arguments[number], is_arm);
	if (letter == CALL_INT || letter == CALL_DIRECTORY)
		call_descriptor_write(out, call->items, number);
}

/* Writes the arguments of clone() as strace does, with names, since their order
 * depends on the architecture.
 */
static void write_clone(const struct system_call *call, bool is_arm, FILE *out)
{
	enum {
		SETTLS = 0x80000,
		PARENT_TID = 0x100000,
		CHILD_TIDS = 0x1200000
	};
	const uint64_t flags = call->arguments[0];

	fputs("(child_stack=", out);
	call_value_write(out, CALL_POINTER, call->arguments[1], is_arm);
	fputs(", flags=", out);
	call_value_write(out, CALL_CLONE_FLAGS, flags, is_arm);
	if (flags & PARENT_TID)
		fprintf(out, ", parent_tid=0x%" PRIx64, call->arguments[2]);
	if (flags & SETTLS)
		fprintf(out, ", tls=0x%" PRIx64,
			call->arguments[is_arm ? 3 : 4]);
	if (flags & CHILD_TIDS)
		fprintf(out, ", child_tidptr=0x%" PRIx64,
			call->arguments[is_arm ? 4 : 3]);
	fputc(')', out);
}

static void write_arguments(const struct system_call *call, const char *name,
			    bool is_arm, FILE *out)
{
	const char *letters = letters_of(call, name);
	bool is_fcntl = !strcmp(name, "fcntl");
	const char *separator = "";

	fputc('(', out);
	for (uint8_t i = 0; letters[i] && i < SYSTEM_CALL_ARGUMENTS; i++) {
		if (letters[i] == '_' ||
		    (letters[i] == CALL_NEW_MODE && !makes_file(call, letters)))
			continue;
		fputs(separator, out);
		separator = ", ";
		if (is_fcntl && i == 2)
			write_fcntl_value(out, call);
		else
			write_argument(call, letters[i], i, is_arm, out);
	}
	fputc(')', out);
}

void call_arguments_write(const struct system_call *call, const char *name,
			  bool is_arm, FILE *out)
{
	if (!call->has_enter)
		fputs(signature_of(name)[1] ? "(...)" : "()", out);
	else if (!strcmp(name, "clone"))
		write_clone(call, is_arm, out);
	else
		write_arguments(call, name, is_arm, out);
}

static void write_error(int error, FILE *out)
{
	const char *name = strerrorname_np(error);

	if (name)
		fprintf(out, " = -1 %s (%s)", name, strerrordesc_np(error));
	else
		fprintf(out, " = -1 (error %d)", error);
}

/* Writes the result of fcntl(), which depends on the command. */
static void write_fcntl_result(const struct system_call *call, FILE *out)
{
	uint64_t result = (uint64_t)call->result;

	if (call->arguments[1] == GETFL) {
		fprintf(out, "0x%" PRIx64 " (flags ", result);
		call_value_write(out, CALL_OPEN_FLAGS, result, false);
		fputc(')', out);
	} else if (call->arguments[1] == GETFD && result == 1) {
		fputs("0x1 (flags FD_CLOEXEC)", out);
	} else {
		call_value_write(out, CALL_INT, result, false);
	}
	if (makes_descriptor(call))
		call_descriptor_write(out, call->items, CALL_DATA_RESULT);
}

static bool is_poll(const char *name)
{
	return !strcmp(name, "poll") || !strcmp(name, "ppoll");
}

static void write_value(const struct system_call *call, const char *name,
			FILE *out)
{
	if (!strcmp(name, "fcntl") && call->has_enter) {
		write_fcntl_result(call, out);
		return;
	}
	call_value_write(out, *signature_of(name), (uint64_t)call->result,
			 false);
	call_descriptor_write(out, call->items, CALL_DATA_RESULT);
	if (is_poll(name))
		call_poll_result_write(out, call->items, call->result);
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
		write_value(call, name, out);
	}
}
