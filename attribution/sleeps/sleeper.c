/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleeper.h"

#include "attribution/sleeps/wakers.h"
#include "common/array.h"
#include "common/number_map.h"
#include "report/profile/call_tree.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

struct sleepers {
	struct number_map *by_tid; /* index + 1 */
	struct array all;	   /* struct sleeper * */
};

bool sleeper_is_in_call(const struct sleeper *sleeper,
			const struct path_frame *frames, size_t count)
{
	return count && sleeper->enter.time_ns &&
	       frames[0].begin_ns <= sleeper->enter.time_ns;
}

/* Returns the name of the system call that the function @name does, or NULL: its
 * own function often jumps to the one that does it and is gone, then.
 */
static const char *call_done_by(const struct arch *arch, const char *name)
{
	/* fs/read_write.c, fs/sync.c, fs/eventpoll.c, net/socket.c and the
	 * names that SYSCALL_DEFINE() makes.
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

int32_t sleeper_fd(const struct sleeper *sleeper,
		   const struct function_table *functions,
		   const struct arch *arch, const struct path_frame *frames,
		   size_t count)
{
	/* Those that may wait for the descriptor that is their first argument
	 * (syscalls(2)), in order of their names.
	 */
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
	const char *call = NULL;

	for (size_t i = 0;
	     sleeper_is_in_call(sleeper, frames, count) && i < count && !call;
	     i++) {
		call = call_done_by(
			arch, function_at(functions, frames[i].function)->name);
		if (call &&
		    !bsearch(call, calls, sizeof(calls) / sizeof(*calls),
			     sizeof(*calls), compare_names))
			call = NULL;
	}
	return call ? (int32_t)sleeper->argument : -1;
}

uint64_t sleeper_object(const struct sleeper *sleeper,
			const struct function_table *functions,
			const struct arch *arch,
			const struct path_frame *frames, size_t count)
{
	const char *call = NULL;

	if (!sleeper_is_in_call(sleeper, frames, count))
		return 0;
	for (size_t i = 0; i < count && !call; i++)
		call = arch_system_call(
			arch, function_at(functions, frames[i].function)->name);
	if (!call || (strcmp(call, "futex") && strcmp(call, "futex_wait")))
		return 0;
	return sleeper->argument ^ (uint64_t)sleeper->enter.pid << 47;
}

void sleeper_begin(struct sleeper *sleeper, const struct task *task,
		   uint64_t begin_ns)
{
	sleeper->has_sleep = true;
	sleeper->has_time = false;
	sleeper->has_left = false;
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

struct sleepers *sleepers_new(void)
{
	struct sleepers *sleepers = calloc(1, sizeof(*sleepers));

	if (!sleepers)
		return NULL;
	sleepers->all = ARRAY_OF(struct sleeper *);
	sleepers->by_tid = number_map_new();
	if (sleepers->by_tid)
		return sleepers;
	sleepers_free(sleepers);
	return NULL;
}

void sleepers_free(struct sleepers *sleepers)
{
	if (!sleepers)
		return;
	for (size_t i = 0; i < sleepers->all.count; i++)
		free(sleepers_at(sleepers, i));
	array_free(&sleepers->all);
	number_map_free(sleepers->by_tid);
	free(sleepers);
}

struct sleeper *sleepers_at(const struct sleepers *sleepers, size_t index)
{
	if (index >= sleepers->all.count)
		return NULL;
	return *(struct sleeper **)array_at(&sleepers->all, index);
}

struct sleeper *sleepers_find(const struct sleepers *sleepers, int32_t tid)
{
	const uint64_t *found =
		number_map_find(sleepers->by_tid, (uint32_t)tid);

	return found ? sleepers_at(sleepers, *found - 1) : NULL;
}

static struct sleeper *add(struct sleepers *sleepers)
{
	struct sleeper *sleeper = calloc(1, sizeof(*sleeper));
	struct sleeper **slot = sleeper ? array_add(&sleepers->all) : NULL;

	if (!slot) {
		free(sleeper);
		return NULL;
	}
	sleeper->chain = WAKER_NONE;
	*slot = sleeper;
	return sleeper;
}

struct sleeper *sleepers_of(struct sleepers *sleepers, int32_t tid)
{
	struct sleeper *sleeper = sleepers_find(sleepers, tid);
	uint64_t *index;

	if (sleeper)
		return sleeper;
	sleeper = add(sleepers);
	index = sleeper ? number_map_add(sleepers->by_tid, (uint32_t)tid) :
			  NULL;
	if (!index)
		return NULL;
	*index = sleepers->all.count;
	return sleeper;
}
