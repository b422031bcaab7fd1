/* SPDX-License-Identifier: MIT */
#include "tables/waits/off_intervals_internal.h"

#include "attribution/attribution_input.h"
#include "attribution/events/known_events.h"
#include "attribution/time/wait_channels.h"
#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "execution/instruction/instruction.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

/* Tracks the kernel's preemption counter of each CPU, which forbids preemption
 * while it is not 0, by off_intervals.h, invariants 7 to 9.
 *
 * The counter (is_known, count):
 *	unknown ─ user space runs: 0; tasks switch: 2 ──► known
 *	known ─── a gap; a change to below 0 ───────────► unknown
 *	known ─── another value at one of these places ─► corrected, known
 *
 * Its intervals (now, ended):
 *	count leaves 0 ──► now ── count is 0 ──► ended
 *	ended ── the scheduler is called there ─► a switch: the task waited for it
 *	      └─ user space runs, or another interval starts: no task waited
 */

/* The counter where a CPU switches tasks: by preempt_disable() and the run
 * queue's lock.
 */
enum { COUNT_AT_SWITCH = 2 };

/* __local_bh_enable_ip(cnt) first subtracts cnt - 1. cnt is 0x200, or 0x201 if
 * a spinlock was released as well.
 */
enum { BOTTOM_HALVES = 0x200 - 1, BOTTOM_HALVES_AND_LOCK = 0x201 - 1 };

enum preempt_role {
	/* a lock function: an interval is shown as its caller's */
	ROLE_INSIDE = 1,
	/* releases a spinlock and enables soft interrupts for its callers */
	ROLE_LOCK_OF_BH,
	ROLE_ENABLES_BH,
	ROLE_RESCHEDULES,
};

/* kernel/locking/spinlock.c, softirq.c, sched/core.c */
static const struct name_rule rules[] = {
	{ "_raw_spin_unlock_bh", false, ROLE_LOCK_OF_BH },
	{ "_raw_read_unlock_bh", false, ROLE_LOCK_OF_BH },
	{ "_raw_write_unlock_bh", false, ROLE_LOCK_OF_BH },
	{ "__local_bh_enable_ip", false, ROLE_ENABLES_BH },
	{ "preempt_schedule", true, ROLE_RESCHEDULES },
	{ "__preempt_schedule", true, ROLE_RESCHEDULES },
	{ "dynamic_preempt_schedule", true, ROLE_RESCHEDULES },
	{ "_raw_", true, ROLE_INSIDE },
	{ "__raw_", true, ROLE_INSIDE },
	{ "raw_spin_rq_lock", true, ROLE_INSIDE },
	{ "task_rq_lock", false, ROLE_INSIDE },
};

struct preempt_cpu {
	bool is_traced;
	bool is_known;
	bool is_idle; /* runs its idle task */
	/* the last function was ROLE_LOCK_OF_BH and ended with a jump */
	bool releases_lock;
	int64_t count;
	struct off_interval now; /* task is NULL: none, or its start unknown */
	/* the last interval, until it is known which task waited for its end
	 * (invariant 9)
	 */
	struct off_interval ended;
};

struct wake_time {
	int32_t tid;
	uint64_t time_ns;
};

struct preemption_tracker {
	struct off_tracker base;  /* first member */
	struct array cpus;	  /* struct preempt_cpu by cpu_slot() */
	struct keyed_array wakes; /* struct wake_time: of the last wake-up */
};

/* Returns the mark of the open function at @above frames above the innermost.
 */
static uint8_t role_above(const struct preemption_tracker *tracker,
			  const struct task *task, size_t above)
{
	size_t count;
	const struct path_frame *path =
		task_paths_of(tracker->base.paths, task->index, &count);

	return count > above ?
		       function_marks_at(tracker->base.marks,
					 path[count - 1 - above].function) :
		       0;
}

/* Returns the change by an instruction without a constant;
 * PREEMPT_CHANGE_UNKNOWN if it is not that of __local_bh_enable_ip().
 */
static int32_t change_by_caller(const struct preemption_tracker *tracker,
				struct preempt_cpu *cpu,
				const struct task *task)
{
	bool releases_lock = cpu->releases_lock ||
			     role_above(tracker, task, 1) == ROLE_LOCK_OF_BH;

	if (role_above(tracker, task, 0) != ROLE_ENABLES_BH)
		return PREEMPT_CHANGE_UNKNOWN;
	cpu->releases_lock = false;
	return releases_lock ? -BOTTOM_HALVES_AND_LOCK : -BOTTOM_HALVES;
}

static uint8_t kind_of(int32_t change)
{
	if (change >= 0x110000)
		return OFF_BY_NMI;
	if (change >= 0x10000)
		return OFF_BY_INTERRUPT;
	if (change >= 0x200)
		return OFF_BY_BOTTOM_HALVES;
	return change >= 0x100 ? OFF_BY_SOFTIRQ : OFF_BY_INSTRUCTION;
}

static bool is_rescheduling(const struct preemption_tracker *tracker,
			    const struct off_interval *interval)
{
	for (uint32_t i = 0; i < interval->count; i++)
		if (function_marks_at(tracker->base.marks, interval->path[i]) ==
		    ROLE_RESCHEDULES)
			return true;
	return false;
}

static void begin(struct preemption_tracker *tracker, struct preempt_cpu *cpu,
		  const struct call_step *step, uint8_t kind)
{
	cpu->now = off_tracker_begin(&tracker->base, step, kind, ROLE_INSIDE);
	if (!is_rescheduling(tracker, &cpu->now))
		off_tracker_emit(&tracker->base, &cpu->ended);
}

static void end(struct preemption_tracker *tracker, struct preempt_cpu *cpu,
		const struct call_step *step)
{
	if (!cpu->now.task || step->time_ns < cpu->now.begin_ns)
		return;
	off_tracker_emit(&tracker->base, &cpu->ended);
	off_interval_end(&cpu->now, step);
	cpu->ended = cpu->now;
	cpu->now.task = NULL;
}

static void forget(struct preempt_cpu *cpu)
{
	cpu->is_known = false;
	cpu->now.task = NULL;
}

static void change(struct preemption_tracker *tracker, struct preempt_cpu *cpu,
		   const struct call_step *step)
{
	int32_t by = preempt_change_of(step->detail);
	int64_t before = cpu->count;

	if (by == PREEMPT_CHANGE_UNKNOWN)
		by = change_by_caller(tracker, cpu, step->task);
	if (by == 1)
		tracker->base.has_instructions = true;
	if (by == PREEMPT_CHANGE_UNKNOWN)
		forget(cpu);
	if (!cpu->is_known)
		return;
	cpu->count += by;
	if (cpu->count < 0) {
		tracker->base.contradictions++;
		forget(cpu);
	} else if (!before && !cpu->is_idle) {
		begin(tracker, cpu, step, kind_of(by));
	} else if (!cpu->count) {
		end(tracker, cpu, step);
	}
}

/* Sets the counter to @count, the value that the kernel's rules require here.
 * Counts a contradiction if it differed.
 */
static void must_be(struct preemption_tracker *tracker, struct preempt_cpu *cpu,
		    int64_t count)
{
	if (cpu->is_known && cpu->count != count &&
	    tracker->base.has_instructions) {
		tracker->base.contradictions++;
		cpu->now.task = NULL;
	}
	cpu->is_known = true;
	cpu->count = count;
}

/* Applies that the CPU is in user space, or has just left it. */
static void be_in_user(struct preemption_tracker *tracker,
		       struct preempt_cpu *cpu)
{
	must_be(tracker, cpu, 0);
	cpu->now.task = NULL;
	off_tracker_emit(&tracker->base, &cpu->ended);
}

/* Adds @task, which runs now, to the last interval if it waited for its end
 * (invariant 9), and emits the interval.
 */
static void add_delay(struct preemption_tracker *tracker,
		      struct preempt_cpu *cpu, const struct task *task)
{
	struct off_interval *ended = &cpu->ended;
	const struct wake_time *wake =
		keyed_array_find(&tracker->wakes, &task->tid);
	uint64_t since_ns = ended->begin_ns;

	if (wake && wake->time_ns > since_ns)
		since_ns = wake->time_ns;
	if (ended->task && task->tid && wake && since_ns < ended->end_ns)
		off_interval_add_delay(ended, FUNCTION_NONE, task->tid,
				       ended->end_ns - since_ns);
	off_tracker_emit(&tracker->base, ended);
}

static void switch_task(struct preemption_tracker *tracker,
			struct preempt_cpu *cpu, const struct call_step *step)
{
	bool was_idle = cpu->is_idle;

	if (cpu->is_traced)
		must_be(tracker, cpu, COUNT_AT_SWITCH);
	if (cpu->now.task && is_rescheduling(tracker, &cpu->now))
		add_delay(tracker, cpu, step->task);
	cpu->is_idle = !step->task->tid;
	if (cpu->is_idle)
		end(tracker, cpu, step);
	else if (was_idle)
		begin(tracker, cpu, step, OFF_BY_INSTRUCTION);
}

static void change_state(struct preemption_tracker *tracker,
			 struct preempt_cpu *cpu, enum cpu_state state)
{
	bool was_traced = cpu->is_traced;

	cpu->is_traced = state == CPU_TRACED || state == CPU_OUTSIDE;
	if (!was_traced || !cpu->is_traced)
		forget(cpu);
	if (state == CPU_OUTSIDE)
		be_in_user(tracker, cpu);
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct preemption_tracker *tracker =
		(struct preemption_tracker *)handler;
	struct preempt_cpu *cpu =
		array_reach(&tracker->cpus, cpu_slot(step->cpu));

	if (!cpu) {
		tracker->base.status = -ERROR_MEMORY;
		return;
	}
	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
		if (step->how == HOW_SYSTEM_CALL)
			be_in_user(tracker, cpu);
		break;
	case STEP_INTERRUPTS:
		if (step->detail >= PREEMPT_CHANGED)
			change(tracker, cpu, step);
		break;
	case STEP_SWITCH:
		switch_task(tracker, cpu, step);
		break;
	case STEP_STATE:
		change_state(tracker, cpu, step->detail);
		break;
	case STEP_GAP:
	case STEP_END:
		change_state(tracker, cpu, CPU_GAP);
		break;
	case STEP_EXIT:
		cpu->releases_lock = step->detail &&
				     function_marks_at(tracker->base.marks,
						       step->function) ==
					     ROLE_LOCK_OF_BH;
		break;
	case STEP_COUNT:
	case STEP_LEAVE:
		break;
	}
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct preemption_tracker *tracker =
		(struct preemption_tracker *)handler;
	struct wake_time *wake;

	if (event->event != EVENT_SCHED_WAKING)
		return;
	wake = keyed_array_add(
		&tracker->wakes,
		&(struct wake_time){
			.tid = (int32_t)event->values[WAKING_TID] });
	if (wake)
		wake->time_ns = event->time_ns;
	else
		tracker->base.status = -ERROR_MEMORY;
}

static void end_intervals(struct off_tracker *base)
{
	struct preemption_tracker *tracker = (struct preemption_tracker *)base;

	for (size_t i = 0; i < tracker->cpus.count; i++) {
		struct preempt_cpu *cpu = array_at(&tracker->cpus, i);

		off_tracker_emit(base, &cpu->ended);
	}
}

static void close_tracker(struct off_tracker *base)
{
	struct preemption_tracker *tracker = (struct preemption_tracker *)base;

	array_free(&tracker->cpus);
	keyed_array_free(&tracker->wakes);
}

struct off_tracker *
preemption_off_tracker_new(const struct attribution_input *input,
			   struct off_callback *callback)
{
	struct preemption_tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker)
		return NULL;
	tracker->base.handler.step = consume_step;
	tracker->base.handler.event = consume_event;
	tracker->base.end = end_intervals;
	tracker->base.close = close_tracker;
	tracker->cpus = ARRAY_OF(struct preempt_cpu);
	tracker->wakes = KEYED_ARRAY_OF(struct wake_time, tid);
	return off_tracker_open(&tracker->base, input, callback, rules,
				sizeof(rules) / sizeof(*rules));
}
