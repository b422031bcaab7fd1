/* SPDX-License-Identifier: MIT */
#include "attribution/time/untraced_wakeups.h"

#include "attribution/events/function_marks.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/steps/call_step.h"
#include "report/steps/cpu_slot.h"
#include "report/steps/task_pack.h"

#include <stdlib.h>

enum mark { MARK_NONE, MARK_PERF, MARK_WAKES, MARK_BLOCKS };

/* kernel/events/core.c and kernel/sched/ of Linux 5.10 to 6.15; each class of
 * the scheduler has a dequeue_task function of its own.
 */
static const struct name_rule marked[] = {
	{ "perf_event_wakeup", false, MARK_PERF },
	{ "try_to_wake_up", false, MARK_WAKES },
	{ "dequeue_task", true, MARK_BLOCKS },
};

/* The open function of perf on a CPU. */
struct open_wakeup {
	const struct task *task; /* NULL: none is */
	uint32_t depth;
};

struct untraced_wakeups {
	struct array cpus; /* struct open_wakeup by CPU + 1 */
	struct untraced_wakeup last;
	uint32_t open;		      /* number of open ones in cpus */
	struct function_marks *marks; /* enum mark by function */
};

struct untraced_wakeups *
untraced_wakeups_new(const struct function_table *functions)
{
	struct untraced_wakeups *wakes = calloc(1, sizeof(*wakes));

	if (!wakes)
		return NULL;
	wakes->cpus = ARRAY_OF(struct open_wakeup);
	wakes->marks = function_marks_by_rules(
		functions, marked, sizeof(marked) / sizeof(*marked));
	if (wakes->marks)
		return wakes;
	untraced_wakeups_free(wakes);
	return NULL;
}

void untraced_wakeups_free(struct untraced_wakeups *wakes)
{
	if (!wakes)
		return;
	array_free(&wakes->cpus);
	free(wakes->marks);
	free(wakes);
}

void untraced_wakeups_clear(struct untraced_wakeups *wakes)
{
	array_free(&wakes->cpus);
	wakes->last = (struct untraced_wakeup){ 0 };
	wakes->open = 0;
}

static enum mark mark_at(const struct untraced_wakeups *wakes,
			 uint32_t function)
{
	return (enum mark)function_marks_at(wakes->marks, function);
}

static struct open_wakeup *open_on(struct untraced_wakeups *wakes, uint32_t cpu)
{
	return array_reach(&wakes->cpus, cpu_slot(cpu));
}

static void enter(struct untraced_wakeups *wakes, struct open_wakeup *open,
		  const struct call_step *step)
{
	enum mark mark = mark_at(wakes, step->function);

	if (mark == MARK_PERF) {
		wakes->open += !open->task;
		open->task = step->task;
		open->depth = step->depth;
	} else if (mark == MARK_WAKES && open->task == step->task) {
		wakes->last = (struct untraced_wakeup){
			.time_ns = step->time_ns,
			.tid = step->task->tid,
		};
	}
}

static void close_wakeup(struct untraced_wakeups *wakes,
			 struct open_wakeup *open)
{
	open->task = NULL;
	wakes->open--;
}

int untraced_wakeups_take(struct untraced_wakeups *wakes,
			  const struct call_step *step)
{
	struct open_wakeup *open = open_on(wakes, step->cpu);

	if (!open)
		return -ERROR_MEMORY;
	if (step->kind == STEP_ENTER)
		enter(wakes, open, step);
	else if (open->task == step->task && step->depth <= open->depth)
		close_wakeup(wakes, open);
	return 0;
}

bool untraced_wakeups_has(const struct untraced_wakeups *wakes,
			  uint32_t function)
{
	return mark_at(wakes, function) != MARK_NONE;
}

bool untraced_wakeups_are_open(const struct untraced_wakeups *wakes)
{
	return wakes->open;
}

struct untraced_wakeup
untraced_wakeups_last(const struct untraced_wakeups *wakes)
{
	return wakes->last;
}

bool untraced_wakeups_blocks(const struct untraced_wakeups *wakes,
			     uint32_t function)
{
	return mark_at(wakes, function) == MARK_BLOCKS;
}

void untraced_wakeups_pack(struct untraced_wakeups *wakes,
			   const struct task_pack *tasks)
{
	struct pack *pack = tasks->pack;
	uint32_t count = (uint32_t)wakes->cpus.count;

	pack_u64(pack, &wakes->last.time_ns);
	pack_i32(pack, &wakes->last.tid);
	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct open_wakeup *open = array_reach(&wakes->cpus, i);

		pack_check(pack, open);
		if (!open)
			return;
		task_pack_task(tasks, &open->task);
		pack_u32(pack, &open->depth);
		if (pack->is_reading)
			wakes->open += !!open->task;
	}
}
