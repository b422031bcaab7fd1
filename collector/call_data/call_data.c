/* SPDX-License-Identifier: MIT */
#include "collector/call_data/call_data.h"

#include "collector/call_data/call_data_program_internal.h"
#include "common/error.h"
#include "common/formats/call_data.h"
#include "common/formats/kernel_types.h"
#include "common/log.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The bytes to read: of strings and buffers as many as strace shows (-s 32, but
 * whole paths), of structures their size on 64-bit machines.
 */
enum {
	PATH_BYTES = 511,
	BUFFER_BYTES = 32,
	SOCKADDR_BYTES = 110,
	TIMESPEC_BYTES = 16,
	ITIMERSPEC_BYTES = 32,
	STAT_BYTES = 144,
	STATX_BYTES = 128,
	POLLFD_BYTES = 8,
#ifdef __x86_64__
	EPOLL_EVENT_BYTES = 12, /* packed on x86-64 */
#else
	EPOLL_EVENT_BYTES = 16,
#endif
	IOVEC_BYTES = 16,
	MSGHDR_BYTES = 56,
	SIGSET_BYTES = 8,
	SIGACTION_BYTES = 32,
	UTSNAME_BYTES = 195,
	CLONE_ARGS_BYTES = 88,
	LIST_BYTES = 96,
	CPU_SET_BYTES = 128, /* cpu_set_t, of 1,024 CPUs */
};

/* Initializers of struct call_fetch; "a" is the number of the argument. */
#define TEXT(a) \
	{ \
		CALL_DATA_STRING, a, 0, 0, PATH_BYTES \
	}
#define BYTES(a, size) \
	{ \
		CALL_DATA_BYTES, a, 0, 0, size \
	}
#define ARRAY(a, count, unit, limit) \
	{ \
		CALL_DATA_COUNTED, a, count, unit, limit \
	}
#define BUFFER(a, count) ARRAY(a, count, 1, BUFFER_BYTES)
#define ADDRESS(a, size) ARRAY(a, size, 1, SOCKADDR_BYTES)
#define GOT_ADDRESS(a, size) \
	{ \
		CALL_DATA_MEASURED, a, size, 0, SOCKADDR_BYTES \
	}
#define TEXTS(a) \
	{ \
		CALL_DATA_STRINGS, a, 0, 0, 0 \
	}
#define FILE_OF(a) \
	{ \
		CALL_DATA_FILE, a, 0, 0, 0 \
	}
#define FILE_AT(a, place) \
	{ \
		CALL_DATA_FILE_AT, a, 0, 0, place \
	}
#define RESULT CALL_DATA_RESULT
#define NEW_FILE FILE_OF(RESULT)

#define AT_START(...) .enter = { __VA_ARGS__ }
#define AT_END(...) .exit = { __VA_ARGS__ }

struct planned_call {
	uint32_t number;
	struct call_plan plan;
};

/* clang-format off */
static const struct planned_call planned[] = {
	/* Calls on one descriptor. */
#define OF_FILE(name) { SYS_##name, { AT_START(FILE_OF(0)) } }
	OF_FILE(close), OF_FILE(lseek), OF_FILE(fsync), OF_FILE(fdatasync),
	OF_FILE(ftruncate), OF_FILE(fallocate), OF_FILE(flock),
	OF_FILE(fchmod), OF_FILE(fchown), OF_FILE(fchdir), OF_FILE(ioctl),
	OF_FILE(fadvise64), OF_FILE(readahead), OF_FILE(sync_file_range),
	OF_FILE(syncfs), OF_FILE(fstatfs), OF_FILE(getdents64),
	OF_FILE(listen), OF_FILE(shutdown), OF_FILE(getsockopt),
	OF_FILE(vmsplice), OF_FILE(io_uring_enter),
	OF_FILE(timerfd_gettime), OF_FILE(fgetxattr), OF_FILE(flistxattr),
	OF_FILE(inotify_rm_watch), OF_FILE(finit_module),
	{ SYS_mmap, { AT_START(FILE_OF(4)) } },
	/* Calls on two descriptors. */
	{ SYS_sendfile, { AT_START(FILE_OF(0), FILE_OF(1)) } },
	{ SYS_tee, { AT_START(FILE_OF(0), FILE_OF(1)) } },
	{ SYS_splice, { AT_START(FILE_OF(0), FILE_OF(2)) } },
	{ SYS_copy_file_range, { AT_START(FILE_OF(0), FILE_OF(2)) } },
	/* Calls that return new descriptors. */
	{ SYS_dup, { AT_START(FILE_OF(0)), AT_END(NEW_FILE) } },
	{ SYS_dup3, { AT_START(FILE_OF(0), FILE_OF(1)), AT_END(NEW_FILE) } },
	{ SYS_fcntl, { AT_START(FILE_OF(0)), AT_END(NEW_FILE) } },
	{ SYS_pipe2, { AT_END(FILE_AT(0, 0), FILE_AT(0, 4), BYTES(0, 8)) } },
	{ SYS_socket, { AT_END(NEW_FILE) } },
	{ SYS_socketpair,
	  { AT_END(FILE_AT(3, 0), FILE_AT(3, 4), BYTES(3, 8)) } },
	{ SYS_eventfd2, { AT_END(NEW_FILE) } },
	{ SYS_epoll_create1, { AT_END(NEW_FILE) } },
	{ SYS_inotify_init1, { AT_END(NEW_FILE) } },
	{ SYS_timerfd_create, { AT_END(NEW_FILE) } },
	{ SYS_pidfd_open, { AT_END(NEW_FILE) } },
	{ SYS_memfd_create, { AT_START(TEXT(0)), AT_END(NEW_FILE) } },
	{ SYS_perf_event_open, { AT_END(NEW_FILE) } },
	{ SYS_signalfd4, { AT_START(FILE_OF(0), BYTES(1, SIGSET_BYTES)),
			   AT_END(NEW_FILE) } },
	/* Data. */
	{ SYS_read, { AT_START(FILE_OF(0)), AT_END(BUFFER(1, RESULT)) } },
	{ SYS_pread64, { AT_START(FILE_OF(0)), AT_END(BUFFER(1, RESULT)) } },
	{ SYS_write, { AT_START(FILE_OF(0), BUFFER(1, 2)) } },
	{ SYS_pwrite64, { AT_START(FILE_OF(0), BUFFER(1, 2)) } },
	{ SYS_readv, { AT_START(FILE_OF(0), ARRAY(1, 2, IOVEC_BYTES, 64)) } },
	{ SYS_writev, { AT_START(FILE_OF(0), ARRAY(1, 2, IOVEC_BYTES, 64)) } },
	{ SYS_preadv, { AT_START(FILE_OF(0), ARRAY(1, 2, IOVEC_BYTES, 64)) } },
	{ SYS_pwritev, { AT_START(FILE_OF(0), ARRAY(1, 2, IOVEC_BYTES, 64)) } },
	{ SYS_sendto, { AT_START(FILE_OF(0), BUFFER(1, 2), ADDRESS(4, 5)) } },
	{ SYS_recvfrom, { AT_START(FILE_OF(0)),
			  AT_END(BUFFER(1, RESULT), GOT_ADDRESS(4, 5)) } },
	{ SYS_sendmsg, { AT_START(FILE_OF(0), BYTES(1, MSGHDR_BYTES)) } },
	{ SYS_recvmsg, { AT_START(FILE_OF(0), BYTES(1, MSGHDR_BYTES)) } },
	{ SYS_getrandom, { AT_END(BUFFER(0, RESULT)) } },
	/* Sockets. */
	{ SYS_connect, { AT_START(FILE_OF(0), ADDRESS(1, 2)) } },
	{ SYS_bind, { AT_START(FILE_OF(0), ADDRESS(1, 2)) } },
	{ SYS_accept, { AT_START(FILE_OF(0)),
			AT_END(GOT_ADDRESS(1, 2), NEW_FILE) } },
	{ SYS_accept4, { AT_START(FILE_OF(0)),
			 AT_END(GOT_ADDRESS(1, 2), NEW_FILE) } },
	{ SYS_getsockname, { AT_START(FILE_OF(0)),
			     AT_END(GOT_ADDRESS(1, 2)) } },
	{ SYS_getpeername, { AT_START(FILE_OF(0)),
			     AT_END(GOT_ADDRESS(1, 2)) } },
	{ SYS_setsockopt, { AT_START(FILE_OF(0), ADDRESS(3, 4)) } },
	/* Paths. */
	{ SYS_openat, { AT_START(FILE_OF(0), TEXT(1)), AT_END(NEW_FILE) } },
	{ SYS_openat2, { AT_START(FILE_OF(0), TEXT(1), BYTES(2, 24)),
			 AT_END(NEW_FILE) } },
	{ SYS_unlinkat, { AT_START(FILE_OF(0), TEXT(1)) } },
	{ SYS_mkdirat, { AT_START(FILE_OF(0), TEXT(1)) } },
	{ SYS_mknodat, { AT_START(FILE_OF(0), TEXT(1)) } },
	{ SYS_faccessat, { AT_START(FILE_OF(0), TEXT(1)) } },
	{ SYS_faccessat2, { AT_START(FILE_OF(0), TEXT(1)) } },
	{ SYS_fchmodat, { AT_START(FILE_OF(0), TEXT(1)) } },
	{ SYS_fchownat, { AT_START(FILE_OF(0), TEXT(1)) } },
	{ SYS_name_to_handle_at, { AT_START(FILE_OF(0), TEXT(1)) } },
	{ SYS_inotify_add_watch, { AT_START(FILE_OF(0), TEXT(1)) } },
	{ SYS_utimensat, { AT_START(FILE_OF(0), TEXT(1),
				    BYTES(2, 2 * TIMESPEC_BYTES)) } },
	{ SYS_readlinkat, { AT_START(FILE_OF(0), TEXT(1)),
			    AT_END(ARRAY(2, RESULT, 1, PATH_BYTES)) } },
	{ SYS_symlinkat, { AT_START(TEXT(0), FILE_OF(1), TEXT(2)) } },
	{ SYS_linkat, { AT_START(FILE_OF(0), TEXT(1), FILE_OF(2), TEXT(3)) } },
	{ SYS_renameat2,
	  { AT_START(FILE_OF(0), TEXT(1), FILE_OF(2), TEXT(3)) } },
	{ SYS_newfstatat, { AT_START(FILE_OF(0), TEXT(1)),
			    AT_END(BYTES(2, STAT_BYTES)) } },
	{ SYS_statx, { AT_START(FILE_OF(0), TEXT(1)),
		       AT_END(BYTES(4, STATX_BYTES)) } },
	{ SYS_fstat, { AT_START(FILE_OF(0)), AT_END(BYTES(1, STAT_BYTES)) } },
	{ SYS_statfs, { AT_START(TEXT(0)) } },
	{ SYS_chdir, { AT_START(TEXT(0)) } },
	{ SYS_chroot, { AT_START(TEXT(0)) } },
	{ SYS_truncate, { AT_START(TEXT(0)) } },
	{ SYS_umount2, { AT_START(TEXT(0)) } },
	{ SYS_mount, { AT_START(TEXT(0), TEXT(1), TEXT(2)) } },
	{ SYS_getcwd, { AT_END(TEXT(0)) } },
	{ SYS_getxattr, { AT_START(TEXT(0), TEXT(1)) } },
	{ SYS_setxattr, { AT_START(TEXT(0), TEXT(1)) } },
	{ SYS_lgetxattr, { AT_START(TEXT(0), TEXT(1)) } },
	{ SYS_execve, { AT_START(TEXT(0), TEXTS(1)) } },
	{ SYS_execveat, { AT_START(FILE_OF(0), TEXT(1), TEXTS(2)) } },
	/* Times and waits. */
	{ SYS_nanosleep, { AT_START(BYTES(0, TIMESPEC_BYTES)) } },
	{ SYS_clock_nanosleep, { AT_START(BYTES(2, TIMESPEC_BYTES)) } },
	{ SYS_clock_gettime, { AT_END(BYTES(1, TIMESPEC_BYTES)) } },
	{ SYS_futex, { AT_START(BYTES(3, TIMESPEC_BYTES)) } },
	{ SYS_timerfd_settime,
	  { AT_START(FILE_OF(0), BYTES(2, ITIMERSPEC_BYTES)) } },
	{ SYS_setitimer, { AT_START(BYTES(1, ITIMERSPEC_BYTES)) } },
	{ SYS_ppoll, { AT_START(BYTES(2, TIMESPEC_BYTES),
				ARRAY(0, 1, POLLFD_BYTES, LIST_BYTES),
				FILE_AT(0, 0), FILE_AT(0, POLLFD_BYTES)),
		       AT_END(ARRAY(0, 1, POLLFD_BYTES, LIST_BYTES)) } },
	{ SYS_epoll_ctl, { AT_START(FILE_OF(0), FILE_OF(2),
				    BYTES(3, EPOLL_EVENT_BYTES)) } },
	{ SYS_epoll_pwait,
	  { AT_START(FILE_OF(0)),
	    AT_END(ARRAY(1, RESULT, EPOLL_EVENT_BYTES, LIST_BYTES)) } },
	{ SYS_wait4, { AT_END(BYTES(1, 4)) } },
	/* Others. */
	{ SYS_rt_sigaction, { AT_START(BYTES(1, SIGACTION_BYTES)),
			      AT_END(BYTES(2, SIGACTION_BYTES)) } },
	{ SYS_rt_sigprocmask, { AT_START(BYTES(1, SIGSET_BYTES)),
				AT_END(BYTES(2, SIGSET_BYTES)) } },
	{ SYS_sched_setaffinity, { AT_START(ARRAY(2, 1, 1, CPU_SET_BYTES)) } },
	{ SYS_prlimit64, { AT_START(BYTES(2, 16)), AT_END(BYTES(3, 16)) } },
	{ SYS_uname, { AT_END(BYTES(0, UTSNAME_BYTES)) } },
	{ SYS_clone3, { AT_START(BYTES(0, CLONE_ARGS_BYTES)) } },
#ifdef __x86_64__
	OF_FILE(getdents),
	{ SYS_dup2, { AT_START(FILE_OF(0), FILE_OF(1)), AT_END(NEW_FILE) } },
	{ SYS_pipe, { AT_END(FILE_AT(0, 0), FILE_AT(0, 4), BYTES(0, 8)) } },
	{ SYS_eventfd, { AT_END(NEW_FILE) } },
	{ SYS_epoll_create, { AT_END(NEW_FILE) } },
	{ SYS_inotify_init, { AT_END(NEW_FILE) } },
	{ SYS_open, { AT_START(TEXT(0)), AT_END(NEW_FILE) } },
	{ SYS_creat, { AT_START(TEXT(0)), AT_END(NEW_FILE) } },
	{ SYS_stat, { AT_START(TEXT(0)), AT_END(BYTES(1, STAT_BYTES)) } },
	{ SYS_lstat, { AT_START(TEXT(0)), AT_END(BYTES(1, STAT_BYTES)) } },
	{ SYS_access, { AT_START(TEXT(0)) } },
	{ SYS_unlink, { AT_START(TEXT(0)) } },
	{ SYS_mkdir, { AT_START(TEXT(0)) } },
	{ SYS_rmdir, { AT_START(TEXT(0)) } },
	{ SYS_mknod, { AT_START(TEXT(0)) } },
	{ SYS_chmod, { AT_START(TEXT(0)) } },
	{ SYS_chown, { AT_START(TEXT(0)) } },
	{ SYS_lchown, { AT_START(TEXT(0)) } },
	{ SYS_utime, { AT_START(TEXT(0)) } },
	{ SYS_utimes, { AT_START(TEXT(0)) } },
	{ SYS_rename, { AT_START(TEXT(0), TEXT(1)) } },
	{ SYS_link, { AT_START(TEXT(0), TEXT(1)) } },
	{ SYS_symlink, { AT_START(TEXT(0), TEXT(1)) } },
	{ SYS_renameat,
	  { AT_START(FILE_OF(0), TEXT(1), FILE_OF(2), TEXT(3)) } },
	{ SYS_readlink, { AT_START(TEXT(0)),
			  AT_END(ARRAY(1, RESULT, 1, PATH_BYTES)) } },
	{ SYS_poll, { AT_START(ARRAY(0, 1, POLLFD_BYTES, LIST_BYTES),
			       FILE_AT(0, 0), FILE_AT(0, POLLFD_BYTES)),
		      AT_END(ARRAY(0, 1, POLLFD_BYTES, LIST_BYTES)) } },
	{ SYS_epoll_wait,
	  { AT_START(FILE_OF(0)),
	    AT_END(ARRAY(1, RESULT, EPOLL_EVENT_BYTES, LIST_BYTES)) } },
#endif
};
/* clang-format on */

struct call_data_recorder call_data_recorder_new(void)
{
	struct call_data_recorder recorder = { .set = trigger_set_new() };

	recorder.own.spec.text = ""; /* the option has no value */
	recorder.own.maps = recorder.set.target;
	recorder.own.line = -1;
	return recorder;
}

void call_data_recorder_free(struct call_data_recorder *recorder)
{
	trigger_set_free(&recorder->set);
}

static struct event_spec samples(void)
{
	struct event_spec spec =
		event_spec_bpf_output(CALL_DATA_EVENT, RING_SIDEBAND);

	spec.attr.disabled = 1;
	spec.attr.wakeup_watermark = 256 << 10;
	return spec;
}

static int fill_plans(const struct trigger_arming *arming, int map)
{
	for (size_t i = 0; i < sizeof(planned) / sizeof(*planned); i++)
		if (bpf_map_set(map, &planned[i].number, &planned[i].plan))
			return trigger_refuse_errno(arming, "a BPF map");
	return 0;
}

static int make_maps(const struct trigger_arming *arming,
		     struct call_data_maps *maps)
{
	enum { TASKS = 16384 };

	if (trigger_map(arming, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t),
			sizeof(struct call_plan), CALL_NUMBERS, &maps->plans) ||
	    trigger_map(arming, BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t),
			call_data_scratch_size(), 2, &maps->scratch) ||
	    trigger_map(arming, BPF_MAP_TYPE_LRU_HASH, sizeof(uint64_t),
			sizeof(uint64_t), TASKS, &maps->failed))
		return -1;
	return fill_plans(arming, maps->plans);
}

static int attach(const struct trigger_arming *arming,
		  const struct call_data_maps *maps,
		  const struct file_offsets *offsets)
{
	static const char *const tracepoints[] = { "sys_enter", "sys_exit" };

	for (int is_exit = 0; is_exit < 2; is_exit++) {
		struct bpf_code code = { .count = 0 };

		call_data_program(&code, maps, offsets, is_exit,
				  (uint32_t)getpid());
		if (trigger_attach_raw(arming, tracepoints[is_exit], &code))
			return -1;
	}
	return 0;
}

/* Finds the offsets of the members from which files are described. Returns
 * false, after logging a warning, if the kernel's types lack one.
 */
static bool find_offsets(struct file_offsets *offsets, const struct log *log)
{
	struct kernel_types *types = kernel_types_running();
	bool is_known = types && file_offsets_find(offsets, types);

	kernel_types_free(types);
	if (!is_known)
		log_message(log, LOG_WARNING, "/sys/kernel/btf/vmlinux",
			    LOG_NO_OFFSET,
			    "the kernel's types are not known, so descriptors "
			    "are recorded without their files");
	return is_known;
}

int call_data_record(struct call_data_recorder *recorder,
		     const struct trigger_setup *setup)
{
	const struct trigger_arming arming = { &recorder->set, setup,
					       &recorder->own };
	struct call_data_maps maps;
	struct file_offsets offsets;
	bool has_files;

	if (trigger_target_maps(&arming))
		return -ERROR_SYSTEM;
	recorder->own.maps = recorder->set.target;
	if (trigger_output_map(&arming, samples()) || make_maps(&arming, &maps))
		return -ERROR_SYSTEM;
	maps.maps = recorder->own.maps;
	has_files = find_offsets(&offsets, setup->log);
	return attach(&arming, &maps, has_files ? &offsets : NULL) ?
		       -ERROR_SYSTEM :
		       0;
}
