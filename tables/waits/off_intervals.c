/* SPDX-License-Identifier: MIT */
#include "tables/waits/off_intervals_internal.h"

#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/events/known_events.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "execution/instruction/instruction.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

/* The state of a CPU:
 *
 *               cli, an exception or system call starts
 *          ┌────────────────────────────────────────────────┐
 *          │                                                ▼
 *	OFF_NO ◄─ sti, return to where it was OFF_NO, user ─ OFF_YES ─► OFF_IDLE
 *	   ▲                                                   ▲  waits for an
 *	   └── OFF_UNKNOWN: at the start and after gaps ───────┘  interrupt
 *
 */

enum off_state { OFF_UNKNOWN, OFF_NO, OFF_YES, OFF_IDLE };

static const char *const kind_names[] = {
	[OFF_BY_INSTRUCTION] = "instruction",
	[OFF_BY_INTERRUPT] = "interrupt",
	[OFF_BY_NMI] = "nmi",
	[OFF_BY_EXCEPTION] = "exception",
	[OFF_BY_SYSTEM_CALL] = "system call",
	[OFF_BY_SOFTIRQ] = "softirq",
	[OFF_BY_BOTTOM_HALVES] = "bottom halves",
};

enum { MOST_SAVED = 8, MOST_CONTEXTS = 8 };

enum { ROLE_INSIDE = 1, ROLE_WAITS };

/* Functions that switch interrupts off for their callers: kernel/locking; and
 * those that wait with interrupts off until one comes: drivers/idle,
 * drivers/acpi/processor_idle.c, arch/arm64/kernel/idle.c.
 */
static const struct name_rule rules[] = {
	{ "_raw_", true, ROLE_INSIDE },
	{ "__raw_", true, ROLE_INSIDE },
	{ "raw_spin_rq_lock", true, ROLE_INSIDE },
	{ "task_rq_lock", false, ROLE_INSIDE },
	{ "lock_timer_base", false, ROLE_INSIDE },
	{ "lock_hrtimer_base", false, ROLE_INSIDE },
	{ "intel_idle", true, ROLE_WAITS },
	{ "acpi_idle_", true, ROLE_WAITS },
	{ "mwait_idle", true, ROLE_WAITS },
	{ "cpu_do_idle", false, ROLE_WAITS },
	{ "psci_cpu_suspend", true, ROLE_WAITS },
};

/* An exception or system call of a task, and the flag when it began. */
struct off_context {
	uint32_t depth; /* of its function */
	uint8_t kind;	/* enum off_kind */
	uint8_t before; /* enum off_state */
	uint8_t saved_count;
	uint8_t saved[MOST_SAVED]; /* enum off_state: see invariant 2 */
};

/* The contexts of a task, innermost last; the first is the task itself. */
struct off_task {
	uint32_t count; /* without the first */
	struct off_context contexts[MOST_CONTEXTS + 1];
};

struct irq_cpu {
	uint8_t state; /* enum off_state */
	struct off_interval now;
	uint32_t idle_depth; /* with OFF_IDLE */
	/* the interval that ended last, until the next call; task is NULL: none
	 */
	struct off_interval ended;
	/* the interval that delayed the interrupt now being served; emitted
	 * when the interrupt's handler returns
	 */
	struct off_interval served;
	/* struct off_interval: later intervals, which ended while the handler ran
	 * soft interrupts with interrupts on
	 */
	struct array waiting;
	uint32_t handler;
	uint32_t handler_depth;
	const struct task *handler_task;
};

struct interrupts_tracker {
	struct off_tracker base; /* first member */
	const struct context_kinds *kinds;
	struct array tasks; /* struct off_task by task index */
	struct array cpus;  /* struct irq_cpu by cpu_slot() */
};

const char *off_kind_name(enum off_kind kind)
{
	return kind_names[kind];
}

/* Sets the path of @interval to the open functions of @task, innermost first,
 * from the first one whose mark is not @inside. Returns false if there is none.
 */
static bool set_path(const struct off_tracker *tracker, const struct task *task,
		     uint8_t inside, struct off_interval *interval)
{
	size_t left;
	const struct path_frame *path =
		task_paths_of(tracker->paths, task->index, &left);

	interval->count = 0;
	while (left-- > 0 && interval->count < OFF_MOST_FRAMES) {
		uint32_t function = path[left].function;

		if (interval->count ||
		    function_marks_at(tracker->marks, function) != inside)
			interval->path[interval->count++] = function;
	}
	return interval->count;
}

void off_tracker_emit(struct off_tracker *tracker,
		      struct off_interval *interval)
{
	if (interval->task &&
	    tracker->callback->consume(tracker->callback, interval) < 0)
		tracker->status = -ERROR_MEMORY;
	interval->task = NULL;
}

/* Returns the bound of the error of @step's time. */
static uint32_t error_of(const struct call_step *step)
{
	return step->early_ns > step->late_ns ? step->early_ns : step->late_ns;
}

struct off_interval off_tracker_begin(const struct off_tracker *tracker,
				      const struct call_step *step,
				      uint8_t kind, uint8_t inside)
{
	struct off_interval interval = {
		.task = step->task,
		.cpu = step->cpu,
		.begin_ns = step->time_ns,
		.uncertain_ns = error_of(step),
		.kind = kind,
	};

	if (!set_path(tracker, step->task, inside, &interval))
		interval.task = NULL;
	return interval;
}

void off_interval_end(struct off_interval *interval,
		      const struct call_step *step)
{
	interval->end_ns = step->time_ns;
	interval->uncertain_ns += error_of(step);
}

void off_interval_add_delay(struct off_interval *interval, uint32_t handler,
			    int32_t tid, uint64_t ns)
{
	if (interval->delay_count < OFF_MOST_DELAYS)
		interval->delays[interval->delay_count++] =
			(struct off_delay){ handler, tid, ns };
}

/* Emits the interval that ended last, or lets it wait while an earlier one is
 * served (invariant 5).
 */
static void emit_ended(struct interrupts_tracker *tracker, struct irq_cpu *cpu)
{
	if (!cpu->served.task) {
		off_tracker_emit(&tracker->base, &cpu->ended);
		return;
	}
	if (cpu->ended.task && array_append(&cpu->waiting, &cpu->ended) < 0)
		tracker->base.status = -ERROR_MEMORY;
	cpu->ended.task = NULL;
}

/* Emits the interval that is served, and the intervals that waited for it. */
static void emit_served(struct interrupts_tracker *tracker, struct irq_cpu *cpu)
{
	struct off_interval *waiting = cpu->waiting.items;

	off_tracker_emit(&tracker->base, &cpu->served);
	for (size_t i = 0; i < cpu->waiting.count; i++)
		off_tracker_emit(&tracker->base, &waiting[i]);
	cpu->waiting.count = 0;
}

static void begin_off(struct interrupts_tracker *tracker, struct irq_cpu *cpu,
		      const struct call_step *step, uint8_t kind)
{
	cpu->state = OFF_YES;
	emit_ended(tracker, cpu);
	cpu->now = off_tracker_begin(&tracker->base, step, kind, ROLE_INSIDE);
}

/* Records that interrupts are off since an unknown time, so that there is no
 * interval.
 */
static void assume_off(struct irq_cpu *cpu)
{
	cpu->state = OFF_YES;
	cpu->now.task = NULL;
}

static void end_off(struct interrupts_tracker *tracker, struct irq_cpu *cpu,
		    const struct call_step *step, bool is_inferred)
{
	bool is_known = cpu->state == OFF_YES && cpu->now.task &&
			step->time_ns >= cpu->now.begin_ns;

	cpu->state = OFF_NO;
	emit_ended(tracker, cpu);
	if (!is_known)
		return;
	cpu->ended = cpu->now;
	off_interval_end(&cpu->ended, step);
	cpu->ended.is_inferred |= is_inferred;
}

static void add_delay(struct irq_cpu *cpu, int32_t tid)
{
	struct off_interval *served = &cpu->served;

	off_interval_add_delay(served, cpu->handler, tid,
			       served->end_ns - served->begin_ns);
}

static uint8_t kind_of(enum context_kind kind, uint8_t how)
{
	if (kind == CONTEXT_SYSTEM_CALL || how == HOW_SYSTEM_CALL)
		return OFF_BY_SYSTEM_CALL;
	if (kind == CONTEXT_INTERRUPT)
		return OFF_BY_INTERRUPT;
	return kind == CONTEXT_NMI ? OFF_BY_NMI : OFF_BY_EXCEPTION;
}

/* Returns the flag when an exception or system call of @kind began. */
static uint8_t state_before(struct interrupts_tracker *tracker,
			    const struct irq_cpu *cpu, uint8_t kind)
{
	if (kind == OFF_BY_SYSTEM_CALL || cpu->state == OFF_IDLE)
		return OFF_NO;
	if (kind != OFF_BY_INTERRUPT)
		return cpu->state;
	tracker->base.contradictions += cpu->state == OFF_YES;
	return OFF_NO;
}

static void enter_context(struct interrupts_tracker *tracker,
			  struct irq_cpu *cpu, struct off_task *task,
			  const struct call_step *step, uint8_t kind)
{
	uint8_t before = state_before(tracker, cpu, kind);

	if (task->count < MOST_CONTEXTS)
		task->contexts[++task->count] = (struct off_context){
			.depth = step->depth,
			.kind = kind,
			.before = before,
		};
	if (kind == OFF_BY_INTERRUPT && cpu->ended.task) {
		emit_served(tracker, cpu);
		cpu->served = cpu->ended;
		cpu->ended.task = NULL;
		cpu->handler = step->function;
		cpu->handler_depth = step->depth;
		cpu->handler_task = step->task;
		add_delay(cpu, -1);
	}
	if (before == OFF_NO)
		begin_off(tracker, cpu, step, kind);
	else if (before == OFF_UNKNOWN)
		assume_off(cpu);
}

static void enter(struct interrupts_tracker *tracker, struct irq_cpu *cpu,
		  struct off_task *task, const struct call_step *step)
{
	enum context_kind kind =
		context_kind_of(tracker->kinds, step->function);

	while (task->count &&
	       (task->contexts[task->count].depth > step->depth ||
		(step->how != HOW_TAIL &&
		 task->contexts[task->count].depth == step->depth)))
		task->count--;
	if (step->how == HOW_EXCEPTION || step->how == HOW_SYSTEM_CALL ||
	    (step->how == HOW_START && kind != CONTEXT_NONE &&
	     cpu->state == OFF_NO)) {
		enter_context(tracker, cpu, task, step,
			      kind_of(kind, step->how));
		return;
	}
	emit_ended(tracker, cpu);
	if (cpu->state != OFF_YES || step->task->tid ||
	    function_marks_at(tracker->base.marks, step->function) !=
		    ROLE_WAITS)
		return;
	end_off(tracker, cpu, step, false);
	cpu->state = OFF_IDLE;
	cpu->idle_depth = step->depth;
}

/* Sets the flag to @state, an enum off_state, at the end of a context or by an
 * instruction.
 */
static void restore(struct interrupts_tracker *tracker, struct irq_cpu *cpu,
		    const struct call_step *step, uint8_t state,
		    bool is_inferred)
{
	if (state == OFF_NO) {
		end_off(tracker, cpu, step, is_inferred);
	} else if (state == OFF_YES && cpu->state == OFF_NO) {
		begin_off(tracker, cpu, step, OFF_BY_INSTRUCTION);
		cpu->now.is_inferred = is_inferred;
	} else if (state == OFF_UNKNOWN) {
		cpu->state = OFF_UNKNOWN;
	}
}

static void leave(struct interrupts_tracker *tracker, struct irq_cpu *cpu,
		  struct off_task *task, const struct call_step *step)
{
	const struct off_context *context = &task->contexts[task->count];

	if (cpu->handler_task == step->task &&
	    step->depth <= cpu->handler_depth && !step->detail)
		emit_served(tracker, cpu);
	emit_ended(tracker, cpu);
	if (cpu->state == OFF_IDLE && step->depth <= cpu->idle_depth &&
	    !step->task->tid)
		begin_off(tracker, cpu, step, OFF_BY_INSTRUCTION);
	/* step->detail: the function ends with a jump. The next function then
	 * ends the context.
	 */
	if (!task->count || step->depth > context->depth || step->detail)
		return;
	task->count--;
	restore(tracker, cpu, step, context->before, false);
}

/* Returns the state that an instruction restores if none was saved in its
 * context. The handlers of Arm's exceptions restore that of the interrupted
 * function (arch/arm64/kernel/entry-common.c).
 */
static uint8_t restored_default(const struct irq_cpu *cpu,
				const struct off_task *task)
{
	const struct off_context *context = &task->contexts[task->count];

	if (!task->count || context->kind == OFF_BY_INTERRUPT ||
	    context->kind == OFF_BY_NMI)
		return cpu->state;
	return context->before;
}

static void consume_instruction(struct interrupts_tracker *tracker,
				struct irq_cpu *cpu, struct off_task *task,
				const struct call_step *step)
{
	struct off_context *context = &task->contexts[task->count];
	uint8_t *count = &context->saved_count;

	if (step->detail >= PREEMPT_CHANGED)
		return; /* of the preemption counter: preemption_off.c */
	tracker->base.has_instructions = true;
	switch ((enum instruction_interrupts)step->detail) {
	case INTERRUPTS_UNTOUCHED:
	case PREEMPT_CHANGED:
		break;
	case INTERRUPTS_OFF:
		if (cpu->state == OFF_NO)
			begin_off(tracker, cpu, step, OFF_BY_INSTRUCTION);
		else if (cpu->state == OFF_UNKNOWN)
			assume_off(cpu);
		break;
	case INTERRUPTS_ON:
		restore(tracker, cpu, step, OFF_NO, false);
		break;
	case INTERRUPTS_SAVED:
		if (*count == MOST_SAVED)
			memmove(context->saved, context->saved + 1, --*count);
		context->saved[(*count)++] = cpu->state;
		break;
	case INTERRUPTS_RESTORED:
		restore(tracker, cpu, step,
			*count ? context->saved[--*count] :
				 restored_default(cpu, task),
			true);
		break;
	}
}

/* Applies a change of the CPU's trace state. In user space interrupts are on;
 * in other untraced states the flag is unknown.
 */
static void change_state(struct interrupts_tracker *tracker,
			 struct irq_cpu *cpu, const struct call_step *step)
{
	if (step->kind == STEP_STATE && step->detail == CPU_TRACED)
		return;
	if (step->kind == STEP_STATE && step->detail == CPU_OUTSIDE)
		end_off(tracker, cpu, step, false);
	else
		cpu->state = OFF_UNKNOWN;
	emit_ended(tracker, cpu);
	emit_served(tracker, cpu);
}

/* Returns NULL when out of memory. */
static struct irq_cpu *irq_cpu_of(struct interrupts_tracker *tracker,
				  uint32_t cpu)
{
	size_t slot = cpu_slot(cpu);

	if (slot < tracker->cpus.count)
		return array_at(&tracker->cpus, slot);
	return array_reach_like(
		&tracker->cpus, slot,
		&(struct irq_cpu){ .waiting = ARRAY_OF(struct off_interval) });
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct interrupts_tracker *tracker =
		(struct interrupts_tracker *)handler;
	struct irq_cpu *cpu = irq_cpu_of(tracker, step->cpu);
	struct off_task *task = array_reach(&tracker->tasks, step->task->index);

	if (!cpu || !task) {
		tracker->base.status = -ERROR_MEMORY;
		return;
	}
	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
		enter(tracker, cpu, task, step);
		break;
	case STEP_EXIT:
		leave(tracker, cpu, task, step);
		break;
	case STEP_INTERRUPTS:
		consume_instruction(tracker, cpu, task, step);
		break;
	case STEP_STATE:
	case STEP_GAP:
	case STEP_END:
		change_state(tracker, cpu, step);
		break;
	case STEP_SWITCH:
		emit_ended(tracker, cpu);
		break;
	case STEP_COUNT:
	case STEP_LEAVE:
		break;
	}
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct interrupts_tracker *tracker =
		(struct interrupts_tracker *)handler;
	struct irq_cpu *cpu;
	size_t slot = cpu_slot((uint32_t)event->cpu);

	if (event->event != EVENT_SCHED_WAKING || slot >= tracker->cpus.count)
		return;
	cpu = array_at(&tracker->cpus, slot);
	if (cpu->served.task)
		add_delay(cpu, (int32_t)event->values[WAKING_TID]);
}

static void end_intervals(struct off_tracker *base)
{
	struct interrupts_tracker *tracker = (struct interrupts_tracker *)base;

	for (size_t i = 0; i < tracker->cpus.count; i++) {
		struct irq_cpu *cpu = array_at(&tracker->cpus, i);

		emit_ended(tracker, cpu);
		emit_served(tracker, cpu);
	}
}

static void close_tracker(struct off_tracker *base)
{
	struct interrupts_tracker *tracker = (struct interrupts_tracker *)base;
	struct irq_cpu *cpus = tracker->cpus.items;

	for (size_t i = 0; i < tracker->cpus.count; i++)
		array_free(&cpus[i].waiting);
	array_free(&tracker->tasks);
	array_free(&tracker->cpus);
}

struct off_tracker *
interrupts_off_tracker_new(const struct attribution_input *input,
			   struct off_callback *callback)
{
	struct interrupts_tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker)
		return NULL;
	tracker->base.handler.step = consume_step;
	tracker->base.handler.event = consume_event;
	tracker->base.end = end_intervals;
	tracker->base.close = close_tracker;
	tracker->kinds = input->kinds;
	tracker->tasks = ARRAY_OF(struct off_task);
	tracker->cpus = ARRAY_OF(struct irq_cpu);
	return off_tracker_open(&tracker->base, input, callback, rules,
				sizeof(rules) / sizeof(*rules));
}

void off_tracker_free(struct off_tracker *tracker)
{
	if (!tracker)
		return;
	tracker->close(tracker);
	free(tracker->marks);
	free(tracker);
}

struct off_tracker *off_tracker_open(struct off_tracker *tracker,
				     const struct attribution_input *input,
				     struct off_callback *callback,
				     const struct name_rule *name_rules,
				     size_t rule_count)
{
	struct thread_tracker *threads = trackers_threads(input->trackers);

	tracker->handler.wants_interrupts = true;
	tracker->callback = callback;
	tracker->marks = function_marks_by_rules(
		symbols_functions(input->symbols), name_rules, rule_count);
	tracker->paths = threads ? thread_tracker_paths(threads) : NULL;
	if (tracker->marks && tracker->paths &&
	    !trackers_follow(input->trackers, &tracker->handler))
		return tracker;
	off_tracker_free(tracker);
	return NULL;
}

int off_tracker_end(struct off_tracker *tracker)
{
	tracker->end(tracker);
	return tracker->status;
}

bool off_tracker_has_instructions(const struct off_tracker *tracker)
{
	return tracker->has_instructions;
}

uint64_t off_tracker_contradictions(const struct off_tracker *tracker)
{
	return tracker->contradictions;
}
