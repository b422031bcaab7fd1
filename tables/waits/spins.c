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
#include <string.h>

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
	ROLE_TAKES_SPINLOCK,
	ROLE_TAKES_RWLOCK,
	ROLE_TAKES_MUTEX,
	ROLE_TAKES_RWSEM,
	ROLE_SLOW,   /* a function that takes a lock may continue in it */
	ROLE_INSIDE, /* is called on the way to a wait */
};

/* Of the locks that a CPU or task holds, the number whose time is stored. */
enum { MOST_HELD = 8 };

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
	{ "_raw_spin_lock", true, ROLE_TAKES_SPINLOCK },
	{ "_raw_spin_trylock", true, ROLE_TAKES_SPINLOCK },
	{ "_raw_read_lock", true, ROLE_TAKES_RWLOCK },
	{ "_raw_write_lock", true, ROLE_TAKES_RWLOCK },
	{ "mutex_lock", true, ROLE_TAKES_MUTEX },
	{ "mutex_trylock", false, ROLE_TAKES_MUTEX },
	{ "down_read", true, ROLE_TAKES_RWSEM },
	{ "down_write", true, ROLE_TAKES_RWSEM },
	{ "_raw_", true, ROLE_INSIDE },
	{ "raw_spin_rq_", true, ROLE_INSIDE },
	{ "smp_call_function", true, ROLE_INSIDE },
	{ "on_each_cpu", true, ROLE_INSIDE },
	{ "mutex_", true, ROLE_INSIDE },
	{ "__mutex_lock", true, ROLE_SLOW },
	{ "__mutex_", true, ROLE_INSIDE },
	{ "rwsem_down_", true, ROLE_SLOW },
	{ "rwsem_", true, ROLE_INSIDE },
	{ "down_", true, ROLE_INSIDE },
	/* releases the lock that the previous task took in __schedule() */
	{ "finish_task_switch", true, ROLE_INSIDE },
};

/* Threads that ended a wait: none, or several. */
enum { NOBODY = -1, SEVERAL = -2 };

/* By how much the time of a release may be after that of the end of the wait,
 * which it caused on another CPU: both times are estimates.
 */
enum { MOST_LATE_NS = 50000 };

/* A wait whose end is not decided yet. A thread that spins for a mutex or rwsem
 * stops when its holder leaves the CPU. The lock's release then comes later,
 * at the latest when the thread leaves the function that takes the lock.
 */
struct open_spin {
	/* end_tid and end_function change with each answer or release until the
	 * wait is decided
	 */
	struct spin_wait wait;
	uint32_t depth;	     /* of the function that waits */
	uint32_t lock_depth; /* of the outermost one that takes the lock */
	bool is_decided;
};

/* A lock that is held. */
struct held_lock {
	uint64_t since_ns;
	uint32_t depth; /* of the function that took it */
	uint8_t frees;	/* the role of functions that release it */
};

/* The locks that a task (mutexes, rwsems) or a CPU (spinlocks, rwlocks) holds,
 * newest last; the oldest are forgotten.
 */
struct held_locks {
	uint32_t count;
	struct held_lock locks[MOST_HELD];
};

/* The waits of a task, innermost last. */
struct spin_task {
	const struct task *task;
	uint32_t count;
	/* the function of the innermost wait runs, not a callee */
	bool is_own;
	uint64_t own_since_ns; /* call_step.whole_ns when is_own was set */
	struct open_spin open[MOST_NESTED];
	/* struct open_spin: no longer in the function that waits; emitted in
	 * this order
	 */
	struct array left;
	struct held_locks held;
};

struct spin_tracker {
	struct event_handler handler;
	struct spin_callback *callback;
	const struct task_paths *paths;
	struct function_marks *marks; /* enum spin_kind, and roles */
	struct array tasks;	      /* struct spin_task by task index */
	struct array cpus;	      /* struct held_locks by CPU */
	uint32_t waiting;	      /* waits that are not decided */
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

	if (!spins) {
		tracker->status = -ERROR_MEMORY;
		return NULL;
	}
	if (!spins->task)
		spins->left = ARRAY_OF(struct open_spin);
	spins->task = task;
	return spins;
}

/* Returns how many functions @task's innermost one is below the outermost
 * function of the same wait.
 */
static uint32_t distance_to_lock(const struct spin_tracker *tracker,
				 const struct task *task)
{
	size_t count;
	size_t at;
	const struct path_frame *path =
		task_paths_of(tracker->paths, task->index, &count);

	at = count;
	while (at && function_marks_has(tracker->marks, path[at - 1].function))
		at--;
	return count > at ? (uint32_t)(count - at - 1) : 0;
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
		.lock_depth =
			step->depth - distance_to_lock(tracker, step->task),
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

/* Emits the waits of @spins that have ended, up to the first undecided one. */
static void emit_decided(struct spin_tracker *tracker, struct spin_task *spins)
{
	struct open_spin *left = spins->left.items;
	size_t count = 0;

	while (count < spins->left.count && left[count].is_decided) {
		if (tracker->callback->consume(tracker->callback,
					       &left[count++].wait) < 0)
			tracker->status = -ERROR_MEMORY;
	}
	array_remove(&spins->left, 0, count);
}

static void decide(struct spin_tracker *tracker, struct open_spin *spin)
{
	if (spin->is_decided)
		return;
	spin->is_decided = true;
	tracker->waiting--;
	if (spin->wait.end_tid == SEVERAL)
		spin->wait.end_tid = NOBODY;
}

/* Returns whether the thread may have stopped to wait although nobody released
 * the lock: it takes the lock later.
 */
static bool is_stopped(const struct open_spin *spin)
{
	return spin->wait.kind == SPIN_MUTEX || spin->wait.kind == SPIN_RWSEM ||
	       spin->wait.kind == SPIN_QUEUE;
}

/* Returns whether the wait ended because the lock was released. */
static bool is_lock(const struct open_spin *spin)
{
	return spin->wait.kind == SPIN_SPINLOCK ||
	       spin->wait.kind == SPIN_RWLOCK;
}

static void end_spin(struct spin_tracker *tracker, struct spin_task *spins,
		     uint64_t time_ns)
{
	struct open_spin *spin = &spins->open[--spins->count];
	struct spin_wait *wait = &spin->wait;

	wait->end_ns = time_ns;
	if (wait->end_tid >= 0 || (!is_stopped(spin) && !is_lock(spin)))
		decide(tracker, spin);
	if (array_append(&spins->left, spin) < 0)
		tracker->status = -ERROR_MEMORY;
	emit_decided(tracker, spins);
}

/* Decides the waits of a task that leaves a function at @depth at @time_ns:
 * nothing that follows can have ended them.
 */
static void decide_left(struct spin_tracker *tracker, struct spin_task *spins,
			uint32_t depth, uint64_t time_ns)
{
	for (size_t i = 0; i < spins->left.count; i++) {
		struct open_spin *spin = array_at(&spins->left, i);

		if (is_stopped(spin) ?
			    spin->lock_depth >= depth :
			    time_ns > spin->wait.end_ns + MOST_LATE_NS)
			decide(tracker, spin);
	}
	emit_decided(tracker, spins);
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
	case ROLE_TAKES_SPINLOCK:
	case ROLE_TAKES_RWLOCK:
	case ROLE_TAKES_MUTEX:
	case ROLE_TAKES_RWSEM:
	case ROLE_SLOW:
	case ROLE_INSIDE:
		break;
	}
	return false;
}

/* Returns the role of the functions that release locks taken by one of @role. */
static uint8_t frees_for(uint8_t role)
{
	return (uint8_t)(role - ROLE_TAKES_SPINLOCK + ROLE_FREES_SPINLOCK);
}

/* Returns the locks of the kind of @frees that the task of @step, or its CPU,
 * holds; NULL when out of memory.
 */
static struct held_locks *held_of(struct spin_tracker *tracker,
				  const struct call_step *step, uint8_t frees)
{
	struct held_locks *held;

	if (frees >= ROLE_FREES_MUTEX) {
		struct spin_task *spins = spin_task_of(tracker, step->task);

		return spins ? &spins->held : NULL;
	}
	held = array_reach(&tracker->cpus, step->cpu);
	if (!held)
		tracker->status = -ERROR_MEMORY;
	return held;
}

static void add_held(struct held_locks *held, uint8_t frees,
		     const struct call_step *step)
{
	if (held->count == MOST_HELD)
		memmove(held->locks, held->locks + 1,
			--held->count * sizeof(*held->locks));
	held->locks[held->count++] = (struct held_lock){
		.since_ns = step->time_ns,
		.depth = step->depth,
		.frees = frees,
	};
}

/* Records that the task of @step leaves a function of @role: it has taken a
 * lock. The trace does not show whether a trylock has succeeded: if not, the
 * next release counts as that of a lock taken later than it was, and ends fewer
 * waits. A function that the first one continues in may still have waited.
 */
static void note_taken(struct spin_tracker *tracker,
		       const struct call_step *step, uint8_t role)
{
	bool takes = role >= ROLE_TAKES_SPINLOCK && role < ROLE_SLOW;
	struct held_locks *held;

	if (takes) {
		held = held_of(tracker, step, frees_for(role));
		if (held)
			add_held(held, frees_for(role), step);
		return;
	}
	for (uint8_t i = 0; i < 2 && (role < SPIN_KINDS || role == ROLE_SLOW);
	     i++) {
		held = held_of(tracker, step,
			       i ? ROLE_FREES_MUTEX : ROLE_FREES_SPINLOCK);
		if (held && held->count &&
		    held->locks[held->count - 1].depth == step->depth)
			held->locks[held->count - 1].since_ns = step->time_ns;
	}
}

/* Removes the newest lock that a function of role @frees releases. Returns since
 * when it was held; 0: unknown.
 */
static uint64_t remove_held(struct held_locks *held, uint8_t frees)
{
	for (uint32_t i = held ? held->count : 0; i-- > 0;) {
		uint64_t since_ns = held->locks[i].since_ns;

		if (held->locks[i].frees != frees)
			continue;
		memmove(held->locks + i, held->locks + i + 1,
			(--held->count - i) * sizeof(*held->locks));
		return since_ns;
	}
	return 0;
}

/* A release of a lock, or an answer to an interrupt. */
struct release {
	int32_t tid;
	uint32_t function; /* struct spin_wait's end_function */
	/* since when the lock was held, or the function that released it ran;
	 * 0: unknown
	 */
	uint64_t since_ns;
	bool is_held; /* since_ns is when the lock was taken */
	uint64_t time_ns;
};

/* Records that @release may have ended @spin, a wait of another task. */
static void note_release(struct open_spin *spin, uint8_t role,
			 const struct release *release)
{
	struct spin_wait *wait = &spin->wait;

	if (spin->is_decided || !may_end(wait->kind, role) ||
	    release->since_ns > wait->begin_ns)
		return;
	/* After the end of the wait: see MOST_LATE_NS, and is_stopped(). */
	if (wait->end_ns && is_lock(spin) &&
	    (!release->is_held || wait->end_tid != NOBODY ||
	     release->time_ns > wait->end_ns + MOST_LATE_NS))
		return;
	if (wait->end_ns && wait->end_tid != NOBODY &&
	    wait->end_tid != release->tid) {
		wait->end_tid = SEVERAL;
		return;
	}
	wait->end_tid = release->tid;
	wait->end_function = release->function;
}

/* Records that the task of @step may have ended the waits of other tasks. The
 * holder of a lock took it before the wait began: a lock that was taken later is
 * another one. Locks are released in reverse order, nearly always. If it is not
 * known when the lock was taken, that was usually in the function that releases it.
 * @held_ns: since when the lock was held; 0: unknown.
 */
static void note_end(struct spin_tracker *tracker, const struct call_step *step,
		     uint8_t role, uint64_t held_ns)
{
	struct spin_task *all = tracker->tasks.items;
	bool answers = role == ROLE_REPLIES;
	const struct path_frame *frame =
		answers ? NULL : frame_of(tracker, step->task);
	const struct release release = {
		.tid = step->task->tid,
		.function = answers ? interrupted_of(tracker, step->task) :
				      function_in(frame),
		.since_ns = held_ns ? held_ns :
			    frame   ? frame->begin_ns :
				      0,
		.is_held = held_ns,
		.time_ns = step->time_ns,
	};

	for (size_t i = 0; i < tracker->tasks.count; i++) {
		struct open_spin *left = all[i].left.items;

		if (!all[i].task || all[i].task->index == step->task->index)
			continue;
		if (all[i].count)
			note_release(&all[i].open[all[i].count - 1], role,
				     &release);
		for (size_t k = 0; k < all[i].left.count; k++)
			note_release(&left[k], role, &release);
	}
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct spin_tracker *tracker = (struct spin_tracker *)handler;
	uint64_t held_ns = 0;
	uint8_t role;

	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT)
		return;
	if (step->task->index < tracker->tasks.count) {
		struct spin_task *spins =
			array_at(&tracker->tasks, step->task->index);

		if (spins->count)
			follow(tracker, spins, step);
		if (spins->left.count && step->kind == STEP_EXIT)
			decide_left(tracker, spins, step->depth, step->time_ns);
	}
	role = function_marks_at(tracker->marks, step->function);
	if (!role)
		return;
	if (step->kind == STEP_EXIT) {
		note_taken(tracker, step, role);
		return;
	}
	if (role >= ROLE_FREES_SPINLOCK && role < ROLE_TAKES_SPINLOCK)
		held_ns = remove_held(held_of(tracker, step, role), role);
	if (role < SPIN_KINDS)
		begin_spin(tracker, step, role);
	else if (role < ROLE_TAKES_SPINLOCK && tracker->waiting)
		note_end(tracker, step, role, held_ns);
}

void spin_tracker_free(struct spin_tracker *tracker)
{
	if (!tracker)
		return;
	for (size_t i = 0; i < tracker->tasks.count; i++) {
		struct spin_task *spins = array_at(&tracker->tasks, i);

		array_free(&spins->left);
	}
	array_free(&tracker->tasks);
	array_free(&tracker->cpus);
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
	tracker->cpus = ARRAY_OF(struct held_locks);
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

int spin_tracker_end(struct spin_tracker *tracker)
{
	for (size_t i = 0; i < tracker->tasks.count; i++)
		decide_left(tracker, array_at(&tracker->tasks, i), 0,
			    UINT64_MAX);
	return tracker->status;
}
