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
