/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleeps_parts.h"
#include "attribution/time/call_entries.h"
#include "attribution/time/task_time.h"
#include "report/profile/call_tree.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

struct sleeper *sleeps_sleeper(struct sleeps *sleeps, uint32_t thread)
{
	return array_reach_like(&sleeps->sleepers, thread,
				&(struct sleeper){ .chain = WAKER_NONE });
}

struct sleeper *sleeps_find(const struct sleeps *sleeps, int32_t tid)
{
	uint32_t thread = task_time_thread(sleeps->options.time, tid);

	return thread < sleeps->sleepers.count ?
		       array_at(&sleeps->sleepers, thread) :
		       NULL;
}

/* Returns the system call that the function @name executes, or NULL: a call's
 * own function often jumps to the one that does the work, and is then no longer
 * open.
 */
static const char *call_done_by(const struct arch *arch, const char *name)
{
	/* fs/read_write.c, fs/sync.c, fs/eventpoll.c, net/socket.c and the
	 * names that SYSCALL_DEFINE() creates.
	 */
	static const char *const prefixes[] = { "ksys_", "__sys_", "__do_sys_",
						"__se_sys_", "do_" };
	const char *call = arch_system_call(arch, name);

	for (size_t i = 0; !call && i < sizeof(prefixes) / sizeof(*prefixes);
	     i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			call = name + strlen(prefixes[i]);
	return call;
}

static int compare_names(const void *name, const void *other)
{
	return strcmp(name, *(const char *const *)other);
}

/* Returns whether @frames are in a call that may wait for the descriptor that
 * is its first argument.
 */
static bool is_for_fd(const struct function_table *functions,
		      const struct arch *arch, const struct path_frame *frames,
		      size_t count)
{
	/* syscalls(2), sorted. */
	static const char *const calls[] = {
		"accept",	   "accept4",	  "connect",
		"copy_file_range", "epoll_pwait", "epoll_pwait2",
		"epoll_wait",	   "fallocate",	  "fcntl",
		"fdatasync",	   "flock",	  "fsync",
		"ftruncate",	   "getdents",	  "getdents64",
		"ioctl",	   "pread64",	  "preadv",
		"preadv2",	   "pwrite64",	  "pwritev",
		"pwritev2",	   "read",	  "readv",
		"recvfrom",	   "recvmmsg",	  "recvmsg",
		"sendfile",	   "sendfile64",  "sendmmsg",
		"sendmsg",	   "sendto",	  "splice",
		"sync_file_range", "syncfs",	  "tee",
		"vmsplice",	   "write",	  "writev",
	};

	for (size_t i = 0; i < count; i++) {
		const char *call = call_done_by(
			arch, function_at(functions, frames[i].function)->base);

		if (call && bsearch(call, calls, sizeof(calls) / sizeof(*calls),
				    sizeof(*calls), compare_names))
			return true;
	}
	return false;
}

/* Returns whether @frames are in a call that waits for a word in memory. */
static bool is_for_word(const struct function_table *functions,
			const struct arch *arch,
			const struct path_frame *frames, size_t count)
{
	const char *call = NULL;

	for (size_t i = 0; i < count && !call; i++)
		call = arch_system_call(
			arch, function_at(functions, frames[i].function)->base);
	return call && (!strcmp(call, "futex") || !strcmp(call, "futex_wait"));
}

struct sleeper_call sleeper_call_of(const struct call_entry *entry,
				    const struct function_table *functions,
				    const struct arch *arch,
				    const struct path_frame *frames,
				    size_t count)
{
	struct sleeper_call call = { .fd = -1 };

	if (!count || !entry || !entry->record.time_ns ||
	    frames[0].begin_ns > entry->record.time_ns)
		return call;
	call.record = &entry->record;
	if (is_for_fd(functions, arch, frames, count))
		call.fd = (int32_t)entry->arguments[0];
	if (is_for_word(functions, arch, frames, count))
		call.object = entry->arguments[0] ^ (uint64_t)entry->record.pid
							    << 47;
	return call;
}

void sleeper_begin(struct sleeper *sleeper, const struct task *task,
		   uint64_t begin_ns)
{
	sleeper->has_sleep = true;
	sleeper->has_time = false;
	sleeper->sleep = (struct sleep){
		.task = task,
		.begin_ns = begin_ns,
		.stack = CALL_NODE_NONE,
		.user_stack = CALL_NODE_NONE,
		.label = FUNCTION_UNKNOWN,
		.inner = FUNCTION_UNKNOWN,
		.waker = WAKER_NONE,
		.same_at_begin = -1,
		.same_at_end = -1,
		.fd = -1,
	};
}
