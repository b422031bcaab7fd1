/* SPDX-License-Identifier: MIT */
#include "tests/attribution_fixture.h"

#include "attribution/events/call_skips_internal.h"
#include "attribution/trackers.h"
#include "report/steps/call_frames.h"
#include "report/steps/call_stack.h"
#include "symbolize/events/function_event.h"
#include "symbolize/functions/function_table.h"
#include "tests/made_functions_fixture.h"
#include "tests/made_tasks_fixture.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CPUS = 8, HANDLERS = 4 };

struct made_cpu {
	struct made_task *current; /* NULL: not traced */
	enum cpu_state state;
	uint64_t last_ns;
};

struct attribution_fixture {
	struct made_functions functions;
	struct event_handler *handlers[HANDLERS];
	size_t handler_count;
	struct call_skips skips;
	bool skips_nothing;
	uint64_t now_ns;
	uint32_t early_ns;
	uint32_t late_ns;
	struct made_cpu cpus[CPUS];
	struct made_tasks tasks;
};

struct attribution_fixture *attribution_fixture_new(void)
{
	struct attribution_fixture *fixture = calloc(1, sizeof(*fixture));

	ck_assert_ptr_nonnull(fixture);
	fixture->functions = made_functions_new();
	return fixture;
}

struct attribution_fixture *
attribution_fixture_of(const struct symbols *symbols)
{
	struct attribution_fixture *fixture = calloc(1, sizeof(*fixture));

	ck_assert_ptr_nonnull(fixture);
	fixture->functions = made_functions_of(symbols);
	return fixture;
}

void attribution_fixture_free(struct attribution_fixture *fixture)
{
	made_functions_free(&fixture->functions);
	call_skips_free(&fixture->skips);
	free(fixture);
}

void attribution_fixture_watch(struct attribution_fixture *fixture,
			       struct event_handler *handler)
{
	ck_assert_uint_lt(fixture->handler_count, HANDLERS);
	fixture->handlers[fixture->handler_count++] = handler;
	call_skips_free(&fixture->skips);
	fixture->skips =
		call_skips_of(fixture->handlers, fixture->handler_count);
}

void attribution_fixture_skip_nothing(struct attribution_fixture *fixture)
{
	fixture->skips_nothing = true;
}

void attribution_fixture_follow(struct attribution_fixture *fixture,
				const struct trackers *trackers)
{
	size_t count;
	struct event_handler *const *handlers =
		trackers_handlers(trackers, &count);

	for (size_t i = 0; i < count; i++)
		attribution_fixture_watch(fixture, handlers[i]);
}

const struct context_kinds *
attribution_fixture_kinds(const struct attribution_fixture *fixture)
{
	return fixture->functions.kinds;
}

const struct function_table *
attribution_fixture_functions(const struct attribution_fixture *fixture)
{
	return fixture->functions.table;
}

uint32_t attribution_fixture_function(const struct attribution_fixture *fixture,
				      const char *name)
{
	return made_functions_find(&fixture->functions, name);
}

void at(struct attribution_fixture *fixture, uint64_t time_ns)
{
	fixture->now_ns = time_ns;
}

void may_be_off(struct attribution_fixture *fixture, uint32_t early_ns,
		uint32_t late_ns)
{
	fixture->early_ns = early_ns;
	fixture->late_ns = late_ns;
}

void belongs(struct attribution_fixture *fixture, int32_t tid, int32_t pid)
{
	made_tasks_belong(&fixture->tasks, tid, pid);
}

static void pass_time(struct attribution_fixture *fixture, struct made_cpu *cpu)
{
	if (cpu->current && cpu->state == CPU_TRACED)
		cpu->current->clock_ns += fixture->now_ns - cpu->last_ns;
	cpu->last_ns = fixture->now_ns;
}

static struct call_step step_of(const struct attribution_fixture *fixture,
				const struct made_task *task, uint32_t cpu,
				enum call_step_kind kind)
{
	return (struct call_step){
		.time_ns = fixture->now_ns,
		.early_ns = fixture->early_ns,
		.late_ns = fixture->late_ns,
		.kind = (uint8_t)kind,
		.cpu = cpu,
		.clock_ns = task->clock_ns,
		.whole_ns = task->clock_ns,
		.task = &task->task,
	};
}

/* Returns whether step_join would pass @step on to @handler. */
static bool reaches(struct event_handler *handler, const struct call_step *step)
{
	if (!handler->step)
		return false;
	return step->kind > STEP_COUNT || !handler->needs || handler->limit ||
	       handler->needs(handler, step->function);
}

static void send(const struct attribution_fixture *fixture,
		 const struct call_step *step)
{
	for (size_t i = 0; i < fixture->handler_count; i++)
		if (reaches(fixture->handlers[i], step))
			fixture->handlers[i]->step(fixture->handlers[i], step);
}

static struct made_task *current_on(struct attribution_fixture *fixture,
				    uint32_t cpu)
{
	struct made_cpu *made = &fixture->cpus[cpu];

	ck_assert_ptr_nonnull(made->current);
	pass_time(fixture, made);
	return made->current;
}

static void send_state(struct attribution_fixture *fixture, uint32_t cpu,
		       enum call_step_kind kind, enum cpu_state cpu_state)
{
	struct made_task *task = current_on(fixture, cpu);
	struct call_step step = step_of(fixture, task, cpu, kind);

	fixture->cpus[cpu].state = cpu_state;
	if (kind == STEP_STATE)
		step.detail = (uint8_t)cpu_state;
	send(fixture, &step);
}

void starts(struct attribution_fixture *fixture, uint32_t cpu, int32_t tid)
{
	fixture->cpus[cpu].current = made_tasks_find(&fixture->tasks, cpu, tid);
	send_state(fixture, cpu, STEP_STATE, CPU_TRACED);
}

void is_on(struct attribution_fixture *fixture, uint32_t cpu, int32_t tid)
{
	fixture->cpus[cpu].current =
		tid < 0 ? NULL : made_tasks_find(&fixture->tasks, cpu, tid);
}

void state(struct attribution_fixture *fixture, uint32_t cpu,
	   enum cpu_state cpu_state)
{
	send_state(fixture, cpu, STEP_STATE, cpu_state);
}

void gap(struct attribution_fixture *fixture, uint32_t cpu)
{
	send_state(fixture, cpu, STEP_GAP, CPU_GAP);
}

/* Applies an event of @kind, which leads to @function, to the task on @cpu if
 * no handler needs its steps. Returns whether that is so.
 */
static bool skips(struct attribution_fixture *fixture, uint32_t cpu,
		  enum function_event_kind kind, uint32_t function)
{
	struct made_task *task = current_on(fixture, cpu);
	const struct call_step step = step_of(fixture, task, cpu, STEP_ENTER);
	const struct function_event event = {
		.time_ns = fixture->now_ns,
		.function = function,
		.kind = (uint8_t)kind,
		.is_user = function_at(fixture->functions.table, function)
				   ->space == 'u',
	};
	struct call_stack stack = {
		.frames = task->frames,
		.count = task->depth,
		.room = MADE_DEPTH,
	};
	struct call_times times = {
		.window = TIME_WINDOW_ALL,
		.clock_ns = task->clock_ns,
		.whole_ns = task->clock_ns,
		.from_ns = fixture->now_ns,
		.event_ns = fixture->now_ns,
		.is_running = fixture->cpus[cpu].state == CPU_TRACED,
	};

	if (fixture->skips_nothing ||
	    !call_skips_are_possible(&fixture->skips) ||
	    !call_skips_consume(&fixture->skips, &step, &stack, &event, 1,
				UINT64_MAX, &times))
		return false;
	task->depth = stack.count;
	return true;
}

static void begin_function(struct attribution_fixture *fixture, uint32_t cpu,
			   const char *name, enum call_how how)
{
	struct made_task *task = current_on(fixture, cpu);
	struct call_step step = step_of(fixture, task, cpu, STEP_ENTER);
	uint32_t function = attribution_fixture_function(fixture, name);

	ck_assert_uint_lt(task->depth, MADE_DEPTH);
	if (how == HOW_CALL && skips(fixture, cpu, FUNCTION_CALL, function))
		return;
	step.how = (uint8_t)how;
	step.unseen = how == HOW_INFERRED ? UNSEEN_BEGIN : 0;
	step.function = function;
	step.depth = task->depth;
	task->frames[task->depth++] = (struct call_frame){
		.function = function,
		.start_ns = step.time_ns,
		.start_clock_ns = step.clock_ns,
		.how = step.how,
		.unseen = step.unseen,
		.is_exception = how == HOW_EXCEPTION,
		.returns_anywhere = how == HOW_INFERRED,
	};
	send(fixture, &step);
}

void enter(struct attribution_fixture *fixture, uint32_t cpu, const char *name)
{
	begin_function(fixture, cpu, name,
		       strncmp(name, "asm_", 4) ? HOW_CALL : HOW_EXCEPTION);
}

void finds(struct attribution_fixture *fixture, uint32_t cpu, const char *name)
{
	begin_function(fixture, cpu, name, HOW_INFERRED);
}

static void leave_of(struct attribution_fixture *fixture,
		     struct made_task *task, uint32_t cpu, uint8_t unseen,
		     bool is_jump)
{
	struct call_step step = step_of(fixture, task, cpu, STEP_EXIT);

	ck_assert_uint_gt(task->depth, 0);
	step.depth = --task->depth;
	step.unseen = unseen;
	step.detail = is_jump;
	step.function = task->frames[step.depth].function;
	step.wall_ns = fixture->now_ns - task->frames[step.depth].start_ns;
	step.on_cpu_ns =
		step.clock_ns - task->frames[step.depth].start_clock_ns;
	send(fixture, &step);
}

void leave(struct attribution_fixture *fixture, uint32_t cpu)
{
	const struct made_task *task = current_on(fixture, cpu);

	if (task->depth > 1 && skips(fixture, cpu, FUNCTION_RETURN,
				     task->frames[task->depth - 2].function))
		return;
	leave_of(fixture, current_on(fixture, cpu), cpu, 0, false);
}

void loses(struct attribution_fixture *fixture, uint32_t cpu)
{
	leave_of(fixture, current_on(fixture, cpu), cpu, UNSEEN_END, false);
}

void jump(struct attribution_fixture *fixture, uint32_t cpu, const char *name)
{
	if (current_on(fixture, cpu)->depth &&
	    skips(fixture, cpu, FUNCTION_TAIL_CALL,
		  attribution_fixture_function(fixture, name)))
		return;
	leave_of(fixture, current_on(fixture, cpu), cpu, 0, true);
	begin_function(fixture, cpu, name, HOW_TAIL);
}

void interrupts(struct attribution_fixture *fixture, uint32_t cpu,
		uint8_t instruction)
{
	struct call_step step = step_of(fixture, current_on(fixture, cpu), cpu,
					STEP_INTERRUPTS);

	step.detail = instruction;
	send(fixture, &step);
}

void switch_to(struct attribution_fixture *fixture, uint32_t cpu, int32_t tid)
{
	struct made_task *task = current_on(fixture, cpu);
	struct call_step step = step_of(fixture, task, cpu, STEP_LEAVE);

	send(fixture, &step);
	task = made_tasks_find(&fixture->tasks, cpu, tid);
	task->task.cpu = (int32_t)cpu;
	fixture->cpus[cpu].current = task;
	step = step_of(fixture, task, cpu, STEP_SWITCH);
	send(fixture, &step);
}

static struct sideband_record record_of(struct attribution_fixture *fixture,
					uint32_t cpu, enum sideband_kind kind)
{
	const struct made_task *task = fixture->cpus[cpu].current;

	return (struct sideband_record){
		.kind = kind,
		.cpu = (int32_t)cpu,
		.pid = task ? task->task.pid : -1,
		.tid = task ? task->task.tid : -1,
		.time_ns = fixture->now_ns,
	};
}

void event(struct attribution_fixture *fixture, uint32_t cpu,
	   enum known_event number, int64_t first, int64_t second,
	   int64_t third)
{
	const int64_t values[EVENT_MAX_FIELDS] = { first, second, third };

	event_of(fixture, cpu, number, values);
}

void event_of(struct attribution_fixture *fixture, uint32_t cpu,
	      enum known_event number, const int64_t *values)
{
	struct sideband_record record =
		record_of(fixture, cpu, SIDEBAND_SAMPLE);
	struct event_record sent = {
		.event = number,
		.cpu = record.cpu,
		.pid = record.pid,
		.tid = record.tid,
		.time_ns = record.time_ns,
		.sideband = &record,
	};

	memcpy(sent.values, values, sizeof(sent.values));

	for (size_t i = 0; i < fixture->handler_count; i++)
		if (fixture->handlers[i]->event)
			fixture->handlers[i]->event(fixture->handlers[i],
						    &sent);
}

void life(struct attribution_fixture *fixture, uint32_t cpu,
	  enum sideband_kind kind, int32_t tid)
{
	struct sideband_record record = record_of(fixture, cpu, kind);

	if (kind == SIDEBAND_FORK)
		record.fork = (struct sideband_fork){ record.pid, record.tid };
	else if (kind == SIDEBAND_COMM)
		record.comm = (struct sideband_comm){ "new", true };
	record.tid = tid;
	record.pid = made_tasks_process(&fixture->tasks, tid);
	for (size_t i = 0; i < fixture->handler_count; i++)
		if (fixture->handlers[i]->record)
			fixture->handlers[i]->record(fixture->handlers[i],
						     &record);
}

void ends_on(struct attribution_fixture *fixture, uint32_t cpu)
{
	struct made_task *task = current_on(fixture, cpu);
	struct call_step step;

	while (task->depth)
		leave_of(fixture, task, cpu, UNSEEN_END, false);
	step = step_of(fixture, task, cpu, STEP_END);
	send(fixture, &step);
	fixture->cpus[cpu].current = NULL;
}

void ends(struct attribution_fixture *fixture)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		if (fixture->cpus[cpu].current)
			ends_on(fixture, cpu);
	for (uint32_t i = 0; i < fixture->tasks.count; i++) {
		struct made_task *task = &fixture->tasks.items[i];

		while (task->depth)
			leave_of(fixture, task, (uint32_t)task->task.cpu,
				 UNSEEN_END, false);
	}
}
