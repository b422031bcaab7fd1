/* SPDX-License-Identifier: MIT */
#include "symbolize/arch/system_call_numbers.h"

#include <stddef.h>

/* Names as in arch/x86/entry/syscalls/syscall_64.tbl and syscall_32.tbl, and
 * include/uapi/asm-generic/unistd.h, of Linux 6.12. Names without a number have
 * the next one.
 */
/* clang-format off */
static const char *const x86_64[] = {
	[0] = "read", "write", "open", "close", "stat", "fstat", "lstat",
	[7] = "poll", "lseek", "mmap", "mprotect", "munmap", "brk",
	[13] = "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "ioctl",
	[17] = "pread64", "pwrite64", "readv", "writev", "access", "pipe",
	[23] = "select", "sched_yield", "mremap", "msync", "mincore", "madvise",
	[29] = "shmget", "shmat", "shmctl", "dup", "dup2", "pause", "nanosleep",
	[36] = "getitimer", "alarm", "setitimer", "getpid", "sendfile",
	[41] = "socket", "connect", "accept", "sendto", "recvfrom", "sendmsg",
	[47] = "recvmsg", "shutdown", "bind", "listen", "getsockname",
	[52] = "getpeername", "socketpair", "setsockopt", "getsockopt", "clone",
	[57] = "fork", "vfork", "execve", "exit", "wait4", "kill", "uname",
	[64] = "semget", "semop", "semctl", "shmdt", "msgget", "msgsnd",
	[70] = "msgrcv", "msgctl", "fcntl", "flock", "fsync", "fdatasync",
	[76] = "truncate", "ftruncate", "getdents", "getcwd", "chdir", "fchdir",
	[82] = "rename", "mkdir", "rmdir", "creat", "link", "unlink", "symlink",
	[89] = "readlink", "chmod", "fchmod", "chown", "fchown", "lchown",
	[95] = "umask", "gettimeofday", "getrlimit", "getrusage", "sysinfo",
	[100] = "times", "ptrace", "getuid", "syslog", "getgid", "setuid",
	[106] = "setgid", "geteuid", "getegid", "setpgid", "getppid", "getpgrp",
	[112] = "setsid", "setreuid", "setregid", "getgroups", "setgroups",
	[117] = "setresuid", "getresuid", "setresgid", "getresgid", "getpgid",
	[122] = "setfsuid", "setfsgid", "getsid", "capget", "capset",
	[127] = "rt_sigpending", "rt_sigtimedwait", "rt_sigqueueinfo",
	[130] = "rt_sigsuspend", "sigaltstack", "utime", "mknod", "uselib",
	[135] = "personality", "ustat", "statfs", "fstatfs", "sysfs",
	[140] = "getpriority", "setpriority", "sched_setparam",
	[143] = "sched_getparam", "sched_setscheduler", "sched_getscheduler",
	[146] = "sched_get_priority_max", "sched_get_priority_min",
	[148] = "sched_rr_get_interval", "mlock", "munlock", "mlockall",
	[152] = "munlockall", "vhangup", "modify_ldt", "pivot_root", "_sysctl",
	[157] = "prctl", "arch_prctl", "adjtimex", "setrlimit", "chroot",
	[162] = "sync", "acct", "settimeofday", "mount", "umount2", "swapon",
	[168] = "swapoff", "reboot", "sethostname", "setdomainname", "iopl",
	[173] = "ioperm", "create_module", "init_module", "delete_module",
	[177] = "get_kernel_syms", "query_module", "quotactl", "nfsservctl",
	[181] = "getpmsg", "putpmsg", "afs_syscall", "tuxcall", "security",
	[186] = "gettid", "readahead", "setxattr", "lsetxattr", "fsetxattr",
	[191] = "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr",
	[196] = "flistxattr", "removexattr", "lremovexattr", "fremovexattr",
	[200] = "tkill", "time", "futex", "sched_setaffinity",
	[204] = "sched_getaffinity", "set_thread_area", "io_setup",
	[207] = "io_destroy", "io_getevents", "io_submit", "io_cancel",
	[211] = "get_thread_area", "lookup_dcookie", "epoll_create",
	[214] = "epoll_ctl_old", "epoll_wait_old", "remap_file_pages",
	[217] = "getdents64", "set_tid_address", "restart_syscall",
	[220] = "semtimedop", "fadvise64", "timer_create", "timer_settime",
	[224] = "timer_gettime", "timer_getoverrun", "timer_delete",
	[227] = "clock_settime", "clock_gettime", "clock_getres",
	[230] = "clock_nanosleep", "exit_group", "epoll_wait", "epoll_ctl",
	[234] = "tgkill", "utimes", "vserver", "mbind", "set_mempolicy",
	[239] = "get_mempolicy", "mq_open", "mq_unlink", "mq_timedsend",
	[243] = "mq_timedreceive", "mq_notify", "mq_getsetattr", "kexec_load",
	[247] = "waitid", "add_key", "request_key", "keyctl", "ioprio_set",
	[252] = "ioprio_get", "inotify_init", "inotify_add_watch",
	[255] = "inotify_rm_watch", "migrate_pages", "openat", "mkdirat",
	[259] = "mknodat", "fchownat", "futimesat", "newfstatat", "unlinkat",
	[264] = "renameat", "linkat", "symlinkat", "readlinkat", "fchmodat",
	[269] = "faccessat", "pselect6", "ppoll", "unshare", "set_robust_list",
	[274] = "get_robust_list", "splice", "tee", "sync_file_range",
	[278] = "vmsplice", "move_pages", "utimensat", "epoll_pwait",
	[282] = "signalfd", "timerfd_create", "eventfd", "fallocate",
	[286] = "timerfd_settime", "timerfd_gettime", "accept4", "signalfd4",
	[290] = "eventfd2", "epoll_create1", "dup3", "pipe2", "inotify_init1",
	[295] = "preadv", "pwritev", "rt_tgsigqueueinfo", "perf_event_open",
	[299] = "recvmmsg", "fanotify_init", "fanotify_mark", "prlimit64",
	[303] = "name_to_handle_at", "open_by_handle_at", "clock_adjtime",
	[306] = "syncfs", "sendmmsg", "setns", "getcpu", "process_vm_readv",
	[311] = "process_vm_writev", "kcmp", "finit_module", "sched_setattr",
	[315] = "sched_getattr", "renameat2", "seccomp", "getrandom",
	[319] = "memfd_create", "kexec_file_load", "bpf", "execveat",
	[323] = "userfaultfd", "membarrier", "mlock2", "copy_file_range",
	[327] = "preadv2", "pwritev2", "pkey_mprotect", "pkey_alloc",
	[331] = "pkey_free", "statx", "io_pgetevents", "rseq", "uretprobe",
};

static const char *const i386[] = {
	[0] = "restart_syscall", "exit", "fork", "read", "write", "open",
	[6] = "close", "waitpid", "creat", "link", "unlink", "execve", "chdir",
	[13] = "time", "mknod", "chmod", "lchown", "break", "oldstat", "lseek",
	[20] = "getpid", "mount", "umount", "setuid", "getuid", "stime",
	[26] = "ptrace", "alarm", "oldfstat", "pause", "utime", "stty", "gtty",
	[33] = "access", "nice", "ftime", "sync", "kill", "rename", "mkdir",
	[40] = "rmdir", "dup", "pipe", "times", "prof", "brk", "setgid",
	[47] = "getgid", "signal", "geteuid", "getegid", "acct", "umount2",
	[53] = "lock", "ioctl", "fcntl", "mpx", "setpgid", "ulimit",
	[59] = "oldolduname", "umask", "chroot", "ustat", "dup2", "getppid",
	[65] = "getpgrp", "setsid", "sigaction", "sgetmask", "ssetmask",
	[70] = "setreuid", "setregid", "sigsuspend", "sigpending",
	[74] = "sethostname", "setrlimit", "getrlimit", "getrusage",
	[78] = "gettimeofday", "settimeofday", "getgroups", "setgroups",
	[82] = "select", "symlink", "oldlstat", "readlink", "uselib", "swapon",
	[88] = "reboot", "readdir", "mmap", "munmap", "truncate", "ftruncate",
	[94] = "fchmod", "fchown", "getpriority", "setpriority", "profil",
	[99] = "statfs", "fstatfs", "ioperm", "socketcall", "syslog",
	[104] = "setitimer", "getitimer", "stat", "lstat", "fstat", "olduname",
	[110] = "iopl", "vhangup", "idle", "vm86old", "wait4", "swapoff",
	[116] = "sysinfo", "ipc", "fsync", "sigreturn", "clone",
	[121] = "setdomainname", "uname", "modify_ldt", "adjtimex", "mprotect",
	[126] = "sigprocmask", "create_module", "init_module", "delete_module",
	[130] = "get_kernel_syms", "quotactl", "getpgid", "fchdir", "bdflush",
	[135] = "sysfs", "personality", "afs_syscall", "setfsuid", "setfsgid",
	[140] = "_llseek", "getdents", "_newselect", "flock", "msync", "readv",
	[146] = "writev", "getsid", "fdatasync", "_sysctl", "mlock", "munlock",
	[152] = "mlockall", "munlockall", "sched_setparam", "sched_getparam",
	[156] = "sched_setscheduler", "sched_getscheduler", "sched_yield",
	[159] = "sched_get_priority_max", "sched_get_priority_min",
	[161] = "sched_rr_get_interval", "nanosleep", "mremap", "setresuid",
	[165] = "getresuid", "vm86", "query_module", "poll", "nfsservctl",
	[170] = "setresgid", "getresgid", "prctl", "rt_sigreturn",
	[174] = "rt_sigaction", "rt_sigprocmask", "rt_sigpending",
	[177] = "rt_sigtimedwait", "rt_sigqueueinfo", "rt_sigsuspend",
	[180] = "pread64", "pwrite64", "chown", "getcwd", "capget", "capset",
	[186] = "sigaltstack", "sendfile", "getpmsg", "putpmsg", "vfork",
	[191] = "ugetrlimit", "mmap2", "truncate64", "ftruncate64", "stat64",
	[196] = "lstat64", "fstat64", "lchown32", "getuid32", "getgid32",
	[201] = "geteuid32", "getegid32", "setreuid32", "setregid32",
	[205] = "getgroups32", "setgroups32", "fchown32", "setresuid32",
	[209] = "getresuid32", "setresgid32", "getresgid32", "chown32",
	[213] = "setuid32", "setgid32", "setfsuid32", "setfsgid32",
	[217] = "pivot_root", "mincore", "madvise", "getdents64", "fcntl64",
	[224] = "gettid", "readahead", "setxattr", "lsetxattr", "fsetxattr",
	[229] = "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr",
	[234] = "flistxattr", "removexattr", "lremovexattr", "fremovexattr",
	[238] = "tkill", "sendfile64", "futex", "sched_setaffinity",
	[242] = "sched_getaffinity", "set_thread_area", "get_thread_area",
	[245] = "io_setup", "io_destroy", "io_getevents", "io_submit",
	[249] = "io_cancel", "fadvise64",
	[252] = "exit_group", "lookup_dcookie", "epoll_create", "epoll_ctl",
	[256] = "epoll_wait", "remap_file_pages", "set_tid_address",
	[259] = "timer_create", "timer_settime", "timer_gettime",
	[262] = "timer_getoverrun", "timer_delete", "clock_settime",
	[265] = "clock_gettime", "clock_getres", "clock_nanosleep", "statfs64",
	[269] = "fstatfs64", "tgkill", "utimes", "fadvise64_64", "vserver",
	[274] = "mbind", "get_mempolicy", "set_mempolicy", "mq_open",
	[278] = "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify",
	[282] = "mq_getsetattr", "kexec_load", "waitid",
	[286] = "add_key", "request_key", "keyctl", "ioprio_set", "ioprio_get",
	[291] = "inotify_init", "inotify_add_watch", "inotify_rm_watch",
	[294] = "migrate_pages", "openat", "mkdirat", "mknodat", "fchownat",
	[299] = "futimesat", "fstatat64", "unlinkat", "renameat", "linkat",
	[304] = "symlinkat", "readlinkat", "fchmodat", "faccessat", "pselect6",
	[309] = "ppoll", "unshare", "set_robust_list", "get_robust_list",
	[313] = "splice", "sync_file_range", "tee", "vmsplice", "move_pages",
	[318] = "getcpu", "epoll_pwait", "utimensat", "signalfd",
	[322] = "timerfd_create", "eventfd", "fallocate", "timerfd_settime",
	[326] = "timerfd_gettime", "signalfd4", "eventfd2", "epoll_create1",
	[330] = "dup3", "pipe2", "inotify_init1", "preadv", "pwritev",
	[335] = "rt_tgsigqueueinfo", "perf_event_open", "recvmmsg",
	[338] = "fanotify_init", "fanotify_mark", "prlimit64",
	[341] = "name_to_handle_at", "open_by_handle_at", "clock_adjtime",
	[344] = "syncfs", "sendmmsg", "setns", "process_vm_readv",
	[348] = "process_vm_writev", "kcmp", "finit_module", "sched_setattr",
	[352] = "sched_getattr", "renameat2", "seccomp", "getrandom",
	[356] = "memfd_create", "bpf", "execveat", "socket", "socketpair",
	[361] = "bind", "connect", "listen", "accept4", "getsockopt",
	[366] = "setsockopt", "getsockname", "getpeername", "sendto", "sendmsg",
	[371] = "recvfrom", "recvmsg", "shutdown", "userfaultfd", "membarrier",
	[376] = "mlock2", "copy_file_range", "preadv2", "pwritev2",
	[380] = "pkey_mprotect", "pkey_alloc", "pkey_free", "statx",
	[384] = "arch_prctl", "io_pgetevents", "rseq",
	[393] = "semget", "semctl", "shmget", "shmctl", "shmat", "shmdt",
	[399] = "msgget", "msgsnd", "msgrcv", "msgctl", "clock_gettime64",
	[404] = "clock_settime64", "clock_adjtime64", "clock_getres_time64",
	[407] = "clock_nanosleep_time64", "timer_gettime64", "timer_settime64",
	[410] = "timerfd_gettime64", "timerfd_settime64", "utimensat_time64",
	[413] = "pselect6_time64", "ppoll_time64",
	[416] = "io_pgetevents_time64", "recvmmsg_time64",
	[418] = "mq_timedsend_time64", "mq_timedreceive_time64",
	[420] = "semtimedop_time64", "rt_sigtimedwait_time64", "futex_time64",
	[423] = "sched_rr_get_interval_time64",
};

static const char *const generic[] = {
	[0] = "io_setup", "io_destroy", "io_submit", "io_cancel",
	[4] = "io_getevents", "setxattr", "lsetxattr", "fsetxattr", "getxattr",
	[9] = "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr",
	[14] = "removexattr", "lremovexattr", "fremovexattr", "getcwd",
	[18] = "lookup_dcookie", "eventfd2", "epoll_create1", "epoll_ctl",
	[22] = "epoll_pwait", "dup", "dup3", "fcntl", "inotify_init1",
	[27] = "inotify_add_watch", "inotify_rm_watch", "ioctl", "ioprio_set",
	[31] = "ioprio_get", "flock", "mknodat", "mkdirat", "unlinkat",
	[36] = "symlinkat", "linkat", "renameat", "umount2", "mount",
	[41] = "pivot_root", "nfsservctl", "statfs", "fstatfs", "truncate",
	[46] = "ftruncate", "fallocate", "faccessat", "chdir", "fchdir",
	[51] = "chroot", "fchmod", "fchmodat", "fchownat", "fchown", "openat",
	[57] = "close", "vhangup", "pipe2", "quotactl", "getdents64", "lseek",
	[63] = "read", "write", "readv", "writev", "pread64", "pwrite64",
	[69] = "preadv", "pwritev", "sendfile", "pselect6", "ppoll",
	[74] = "signalfd4", "vmsplice", "splice", "tee", "readlinkat",
	[79] = "fstatat", "fstat", "sync", "fsync", "fdatasync",
	[84] = "sync_file_range", "timerfd_create", "timerfd_settime",
	[87] = "timerfd_gettime", "utimensat", "acct", "capget", "capset",
	[92] = "personality", "exit", "exit_group", "waitid", "set_tid_address",
	[97] = "unshare", "futex", "set_robust_list", "get_robust_list",
	[101] = "nanosleep", "getitimer", "setitimer", "kexec_load",
	[105] = "init_module", "delete_module", "timer_create", "timer_gettime",
	[109] = "timer_getoverrun", "timer_settime", "timer_delete",
	[112] = "clock_settime", "clock_gettime", "clock_getres",
	[115] = "clock_nanosleep", "syslog", "ptrace", "sched_setparam",
	[119] = "sched_setscheduler", "sched_getscheduler", "sched_getparam",
	[122] = "sched_setaffinity", "sched_getaffinity", "sched_yield",
	[125] = "sched_get_priority_max", "sched_get_priority_min",
	[127] = "sched_rr_get_interval", "restart_syscall", "kill", "tkill",
	[131] = "tgkill", "sigaltstack", "rt_sigsuspend", "rt_sigaction",
	[135] = "rt_sigprocmask", "rt_sigpending", "rt_sigtimedwait",
	[138] = "rt_sigqueueinfo", "rt_sigreturn", "setpriority", "getpriority",
	[142] = "reboot", "setregid", "setgid", "setreuid", "setuid",
	[147] = "setresuid", "getresuid", "setresgid", "getresgid", "setfsuid",
	[152] = "setfsgid", "times", "setpgid", "getpgid", "getsid", "setsid",
	[158] = "getgroups", "setgroups", "uname", "sethostname",
	[162] = "setdomainname", "getrlimit", "setrlimit", "getrusage", "umask",
	[167] = "prctl", "getcpu", "gettimeofday", "settimeofday", "adjtimex",
	[172] = "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid",
	[178] = "gettid", "sysinfo", "mq_open", "mq_unlink", "mq_timedsend",
	[183] = "mq_timedreceive", "mq_notify", "mq_getsetattr", "msgget",
	[187] = "msgctl", "msgrcv", "msgsnd", "semget", "semctl", "semtimedop",
	[193] = "semop", "shmget", "shmctl", "shmat", "shmdt", "socket",
	[199] = "socketpair", "bind", "listen", "accept", "connect",
	[204] = "getsockname", "getpeername", "sendto", "recvfrom",
	[208] = "setsockopt", "getsockopt", "shutdown", "sendmsg", "recvmsg",
	[213] = "readahead", "brk", "munmap", "mremap", "add_key",
	[218] = "request_key", "keyctl", "clone", "execve", "mmap", "fadvise64",
	[224] = "swapon", "swapoff", "mprotect", "msync", "mlock", "munlock",
	[230] = "mlockall", "munlockall", "mincore", "madvise",
	[234] = "remap_file_pages", "mbind", "get_mempolicy", "set_mempolicy",
	[238] = "migrate_pages", "move_pages", "rt_tgsigqueueinfo",
	[241] = "perf_event_open", "accept4", "recvmmsg",
	[260] = "wait4", "prlimit64", "fanotify_init", "fanotify_mark",
	[264] = "name_to_handle_at", "open_by_handle_at", "clock_adjtime",
	[267] = "syncfs", "setns", "sendmmsg", "process_vm_readv",
	[271] = "process_vm_writev", "kcmp", "finit_module", "sched_setattr",
	[275] = "sched_getattr", "renameat2", "seccomp", "getrandom",
	[279] = "memfd_create", "bpf", "execveat", "userfaultfd", "membarrier",
	[284] = "mlock2", "copy_file_range", "preadv2", "pwritev2",
	[288] = "pkey_mprotect", "pkey_alloc", "pkey_free", "statx",
	[292] = "io_pgetevents", "rseq", "kexec_file_load",
	[403] = "clock_gettime64", "clock_settime64", "clock_adjtime64",
	[406] = "clock_getres_time64", "clock_nanosleep_time64",
	[408] = "timer_gettime64", "timer_settime64", "timerfd_gettime64",
	[411] = "timerfd_settime64", "utimensat_time64", "pselect6_time64",
	[414] = "ppoll_time64",
	[416] = "io_pgetevents_time64", "recvmmsg_time64",
	[418] = "mq_timedsend_time64", "mq_timedreceive_time64",
	[420] = "semtimedop_time64", "rt_sigtimedwait_time64", "futex_time64",
	[423] = "sched_rr_get_interval_time64",
};

/* Names from number FIRST_COMMON on, which all architectures share. */
enum { FIRST_COMMON = 424 };

static const char *const common[] = {
	"pidfd_send_signal", "io_uring_setup", "io_uring_enter",
	"io_uring_register", "open_tree", "move_mount", "fsopen", "fsconfig",
	"fsmount", "fspick", "pidfd_open", "clone3", "close_range", "openat2",
	"pidfd_getfd", "faccessat2", "process_madvise", "epoll_pwait2",
	"mount_setattr", "quotactl_fd", "landlock_create_ruleset",
	"landlock_add_rule", "landlock_restrict_self", "memfd_secret",
	"process_mrelease", "futex_waitv", "set_mempolicy_home_node",
	"cachestat", "fchmodat2", "map_shadow_stack", "futex_wake",
	"futex_wait", "futex_requeue", "statmount", "listmount",
	"lsm_get_self_attr", "lsm_set_self_attr", "lsm_list_modules", "mseal",
};
/* clang-format on */

/* The bit that marks calls of the x32 ABI, which have x86-64's numbers up to
 * 511 (arch/x86/include/uapi/asm/unistd.h).
 */
enum { X32_BIT = 0x40000000, X32_OWN = 512 };

#define COUNT_OF(table) ((int64_t)(sizeof(table) / sizeof(*(table))))
#define NAME_OF(table, number) name_of(table, COUNT_OF(table), number)

static const char *name_of(const char *const *table, int64_t count,
			   int64_t number)
{
	if (number < FIRST_COMMON)
		return number < count ? table[number] : NULL;
	number -= FIRST_COMMON;
	return number < COUNT_OF(common) ? common[number] : NULL;
}

static const char *x86_64_name(int64_t number)
{
	if (number & X32_BIT) {
		number &= ~(int64_t)X32_BIT;
		if (number >= X32_OWN)
			return NULL;
	}
	return NAME_OF(x86_64, number);
}

const char *system_call_number_name(enum recording_arch arch, bool is_compat,
				    int64_t number)
{
	if (number < 0)
		return NULL;
	if (arch == RECORDING_ARCH_X86_64)
		return is_compat ? NAME_OF(i386, number) : x86_64_name(number);
	/* Arm's 32-bit calls have numbers of their own. */
	if (arch == RECORDING_ARCH_ARM64 && !is_compat)
		return NAME_OF(generic, number);
	return NULL;
}
