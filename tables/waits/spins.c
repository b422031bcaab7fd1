/* SPDX-License-Identifier: MIT */
#include "tables/waits/spins.h"

#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/error.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>

/* Limit on nested waits: for a lock, in it for another lock, and in interrupts.
 */
enum { MOST_NESTED = 4 };

/* Other roles of functions than enum spin_kind. */
enum spin_role {
	ROLE_REPLIES = SPIN_KINDS,
	ROLE_FREES_SPINLOCK,
	ROLE_FREES_RWLOCK,
	ROLE_FREES_MUTEX,
	ROLE_FREES_RWSEM,
	ROLE_INSIDE, /* is called on the way to a wait */
};

static const char *const kind_names[SPIN_KINDS] = {
	[SPIN_NONE] = "",	  [SPIN_IPI] = "ipi",
	[SPIN_STOP] = "stop",	  [SPIN_SPINLOCK] = "spinlock",
	[SPIN_RWLOCK] = "rwlock", [SPIN_MUTEX] = "mutex",
	[SPIN_RWSEM] = "rwsem",	  [SPIN_QUEUE] = "queue",
};

/* kernel/smp.c, stop_machine.c, locking/ of Linux 5.10 to 7.3. The first rule
 * that matches decides.
 */
static const struct name_rule rules[] = {
	{ "smp_call_function_many_cond", false, SPIN_IPI },
	{ "smp_call_function_single", false, SPIN_IPI },
	{ "multi_cpu_stop", false, SPIN_STOP },
	{ "native_queued_spin_lock_slowpath", false, SPIN_SPINLOCK },
	{ "queued_spin_lock_slowpath", false, SPIN_SPINLOCK },
	{ "__pv_queued_spin_lock_slowpath", false, SPIN_SPINLOCK },
	{ "queued_read_lock_slowpath", false, SPIN_RWLOCK },
	{ "queued_write_lock_slowpath", false, SPIN_RWLOCK },
	{ "mutex_spin_on_owner", false, SPIN_MUTEX },
	{ "rwsem_spin_on_owner", false, SPIN_RWSEM },
	{ "osq_lock", false, SPIN_QUEUE },
	{ "__flush_smp_call_function_queue", false, ROLE_REPLIES },
	{ "_raw_spin_unlock", true, ROLE_FREES_SPINLOCK },
	{ "_raw_read_unlock", true, ROLE_FREES_RWLOCK },
	{ "_raw_write_unlock", true, ROLE_FREES_RWLOCK },
	{ "mutex_unlock", false, ROLE_FREES_MUTEX },
	{ "up_write", false, ROLE_FREES_RWSEM },
	{ "up_read", false, ROLE_FREES_RWSEM },
	{ "_raw_", true, ROLE_INSIDE },
	{ "raw_spin_rq_lock", true, ROLE_INSIDE },
	{ "smp_call_function", true, ROLE_INSIDE },
	{ "on_each_cpu", true, ROLE_INSIDE },
	{ "mutex_", true, ROLE_INSIDE },
	{ "__mutex_", true, ROLE_INSIDE },
	{ "rwsem_", true, ROLE_INSIDE },
	{ "down_", true, ROLE_INSIDE },
	/* releases the lock that the previous task took in __schedule() */
	{ "finish_task_switch", true, ROLE_INSIDE },
};

/* A wait in progress. */
struct open_spin {
	/* end_tid and end_function change with each answer or release until the
	 * wait ends
	 */
	struct spin_wait wait;
	uint32_t depth;
};

/* The waits of a task, innermost last. */
struct spin_task {
	const struct task *task;
	uint32_t count;
	/* the function of the innermost wait runs, not a callee */
	bool is_own;
	uint64_t own_since_ns; /* call_step.whole_ns when is_own was set */
	struct open_spin open[MOST_NESTED];
};

struct spin_tracker {
	struct event_handler handler;
	struct spin_callback *callback;
	const struct task_paths *paths;
	struct function_marks *marks; /* enum spin_kind, and roles */
	struct array tasks;	      /* struct spin_task by task index */
	uint32_t waiting;	      /* waits in progress */
	int status;
};

const char *spin_kind_name(enum spin_kind kind)
{
	return kind_names[kind];
}

/* Returns the innermost function of @task that is not part of waiting, or NULL. */
static const struct path_frame *frame_of(const struct spin_tracker *tracker,
					 const struct task *task)
{
	size_t count;
	const struct path_frame *path =
		task_paths_of(tracker->paths, task->index, &count);

	while (count-- > 0)
		if (!function_marks_has(tracker->marks, path[count].function))
			return &path[count];
	return NULL;
}

static uint32_t function_in(const struct path_frame *frame)
{
	return frame ? frame->function : FUNCTION_UNKNOWN;
}

/* Returns the function of @task that the innermost exception interrupted;
 * FUNCTION_NONE: user space, from which the trace may start as well.
 */
static uint32_t interrupted_of(const struct spin_tracker *tracker,
			       const struct task *task)
{
	size_t count;
	const struct path_frame *path =
		task_paths_of(tracker->paths, task->index, &count);

	while (count-- > 0)
		if (path[count].how == HOW_EXCEPTION ||
		    path[count].how == HOW_START)
			return count ? path[count - 1].function : FUNCTION_NONE;
	return function_in(frame_of(tracker, task));
}

static struct spin_task *spin_task_of(struct spin_tracker *tracker,
				      const struct task *task)
{
	struct spin_task *spins = array_reach(&tracker->tasks, task->index);

	if (spins)
		spins->task = task;
	else
		tracker->status = -ERROR_MEMORY;
	return spins;
}

static void begin_spin(struct spin_tracker *tracker,
		       const struct call_step *step, uint8_t kind)
{
	struct spin_task *spins = spin_task_of(tracker, step->task);

	if (!spins || spins->count == MOST_NESTED)
		return;
	spins->open[spins->count++] = (struct open_spin){
		.wait = { .task = step->task,
			  .kind = kind,
			  .function =
				  function_in(frame_of(tracker, step->task)),
			  .begin_ns = step->time_ns,
			  .end_tid = -1 },
		.depth = step->depth,
	};
	spins->is_own = true;
	spins->own_since_ns = step->whole_ns;
	tracker->waiting++;
}

/* Adds the own time of the innermost wait up to @step. */
static void stop_own(struct spin_task *spins, const struct call_step *step)
{
	if (spins->is_own)
		spins->open[spins->count - 1].wait.own_ns +=
			step->whole_ns - spins->own_since_ns;
	spins->is_own = false;
}

static void end_spin(struct spin_tracker *tracker, struct spin_task *spins,
		     uint64_t time_ns)
{
	struct spin_wait *wait = &spins->open[--spins->count].wait;

	tracker->waiting--;
	wait->end_ns = time_ns;
	if (tracker->callback->consume(tracker->callback, wait) < 0)
		tracker->status = -ERROR_MEMORY;
}

/* Follows the calls of a task that waits: callees are not part of the wait. */
static void follow(struct spin_tracker *tracker, struct spin_task *spins,
		   const struct call_step *step)
{
	uint32_t depth = spins->open[spins->count - 1].depth;

	if (step->kind == STEP_ENTER && step->depth > depth) {
		stop_own(spins, step);
		return;
	}
	if (step->kind != STEP_EXIT || step->depth > depth + 1)
		return;
	if (step->depth <= depth) {
		stop_own(spins, step);
		end_spin(tracker, spins, step->time_ns);
		if (!spins->count ||
		    step->depth != spins->open[spins->count - 1].depth + 1)
			return;
	}
	spins->is_own = true;
	spins->own_since_ns = step->whole_ns;
}

/* Returns whether a function of @role may end a wait of @kind. */
static bool may_end(uint8_t kind, uint8_t role)
{
	switch ((enum spin_role)role) {
	case ROLE_REPLIES:
		return kind == SPIN_IPI;
	case ROLE_FREES_SPINLOCK:
		return kind == SPIN_SPINLOCK;
	case ROLE_FREES_RWLOCK:
		return kind == SPIN_RWLOCK;
	case ROLE_FREES_MUTEX:
		return kind == SPIN_MUTEX || kind == SPIN_QUEUE;
	case ROLE_FREES_RWSEM:
		return kind == SPIN_RWSEM || kind == SPIN_QUEUE;
	case ROLE_INSIDE:
		break;
	}
	return false;
}

/* Records that the task of @step may have ended the waits of other tasks. The
 * holder of a lock took it before the wait began, usually in the function that
 * releases it: a function that began later releases another lock.
 */
static void note_end(struct spin_tracker *tracker, const struct call_step *step,
		     uint8_t role)
{
	struct spin_task *all = tracker->tasks.items;
	bool answers = role == ROLE_REPLIES;
	const struct path_frame *frame =
		answers ? NULL : frame_of(tracker, step->task);
	uint32_t function = answers ? interrupted_of(tracker, step->task) :
				      function_in(frame);

	for (size_t i = 0; i < tracker->tasks.count; i++) {
		struct open_spin *spin =
			all[i].count ? &all[i].open[all[i].count - 1] : NULL;

		if (!spin || all[i].task->index == step->task->index ||
		    !may_end(spin->wait.kind, role) ||
		    (frame && frame->begin_ns > spin->wait.begin_ns))
			continue;
		spin->wait.end_tid = step->task->tid;
		spin->wait.end_function = function;
	}
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct spin_tracker *tracker = (struct spin_tracker *)handler;
	uint8_t role;

	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT)
		return;
	if (step->task->index < tracker->tasks.count) {
		struct spin_task *spins =
			array_at(&tracker->tasks, step->task->index);

		if (spins->count)
			follow(tracker, spins, step);
	}
	if (step->kind != STEP_ENTER)
		return;
	role = function_marks_at(tracker->marks, step->function);
	if (role && role < SPIN_KINDS)
		begin_spin(tracker, step, role);
	else if (role >= ROLE_REPLIES && tracker->waiting)
		note_end(tracker, step, role);
}

void spin_tracker_free(struct spin_tracker *tracker)
{
	if (!tracker)
		return;
	array_free(&tracker->tasks);
	free(tracker->marks);
	free(tracker);
}

struct spin_tracker *spin_tracker_new(const struct attribution_input *input,
				      struct spin_callback *callback)
{
	struct thread_tracker *threads = trackers_threads(input->trackers);
	struct spin_tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker)
		return NULL;
	tracker->handler.step = consume_step;
	tracker->callback = callback;
	tracker->tasks = ARRAY_OF(struct spin_task);
	tracker->marks =
		function_marks_by_rules(symbols_functions(input->symbols),
					rules, sizeof(rules) / sizeof(*rules));
	tracker->paths = threads ? thread_tracker_paths(threads) : NULL;
	if (tracker->marks && tracker->paths &&
	    !trackers_follow(input->trackers, &tracker->handler))
		return tracker;
	spin_tracker_free(tracker);
	return NULL;
}

int spin_tracker_status(const struct spin_tracker *tracker)
{
	return tracker->status;
}
