/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_signature.h"

#include <stdlib.h>
#include <string.h>

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
