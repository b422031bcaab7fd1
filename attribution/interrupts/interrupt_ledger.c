/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_ledger.h"

#include "attribution/interrupts/interrupt_steps.h"
#include "attribution/interrupts/object_tracker.h"
#include "attribution/table.h"
#include "attribution/time/traced_cpus.h"
#include "common/error.h"

#include <stdlib.h>

/* They see everything in this order. */
static const struct object_tracker *const trackers[] = {
	&track_system, &track_softirqs,	 &track_polls, &track_packets,
	&track_blocks, &track_questions, &track_works, &track_timers,
	&track_ipis,   &track_wakeups,
};

enum { TRACKERS = sizeof(trackers) / sizeof(*trackers) };

struct interrupt_ledger {
	struct event_handler handler;
	struct interrupt_listener listener;
	struct interrupt_observer *observer; /* or NULL */
	const struct attribution_input *input;
	struct interrupt_rows *rows;
	struct claims *claims;
	struct interrupt_stacks *stacks;
	struct interrupt_steps *steps;
	struct interrupt_roles *roles;
	struct traced_cpus cpus;
	void *states[TRACKERS];
};

static struct interrupt_ledger *of_listener(struct interrupt_listener *listener)
{
	return (struct interrupt_ledger *)((char *)listener -
					   offsetof(struct interrupt_ledger,
						    listener));
}

static struct moment moment_of(const struct interrupt_ledger *ledger,
			       struct interrupt_piece *piece)
{
	return (struct moment){
		.claims = ledger->claims,
		.symbols = ledger->input->symbols,
		.names = ledger->input->names,
		.roles = ledger->roles,
		.piece = piece,
	};
}

/* No kernel has more; damaged recordings have. */
static uint32_t bounded_cpu(int64_t cpu)
{
	enum { MAX_CPUS = 1 << 16 };

	return cpu >= 0 && cpu < MAX_CPUS ? (uint32_t)cpu : 0;
}

/* Whether the steps show what @cpu does. */
static bool is_traced(const struct interrupt_ledger *ledger, int32_t cpu)
{
	const struct traced_cpu *found = traced_cpus_find(&ledger->cpus, cpu);

	/* Streams of threads have no CPU. */
	if (!found)
		found = traced_cpus_find(&ledger->cpus, -1);
	return found && !found->has_ended &&
	       (found->state == CPU_TRACED || found->state == CPU_OUTSIDE);
}

static struct moment of_step(const struct interrupt_ledger *ledger,
			     struct interrupt_piece *piece,
			     const struct call_step *step)
{
	struct moment moment = moment_of(ledger, piece);

	moment.time_ns = step->time_ns;
	moment.cpu = bounded_cpu(step->cpu == UINT32_MAX ?
					 (int64_t)step->task->cpu :
					 (int64_t)step->cpu);
	moment.is_traced = true;
	moment.pid = step->task->pid;
	moment.tid = step->task->tid;
	return moment;
}

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	struct interrupt_ledger *ledger = (struct interrupt_ledger *)handler;
	struct moment moment =
		moment_of(ledger, interrupt_stacks_find(ledger->stacks, event));

	moment.event = event;
	moment.time_ns = event->time_ns;
	moment.cpu = bounded_cpu(event->cpu);
	moment.is_traced = is_traced(ledger, event->cpu);
	moment.pid = event->pid;
	moment.tid = event->tid;
	if (event->event == EVENT_IRQ_ENTRY && moment.piece)
		moment.piece->irq = (int32_t)event->values[IRQ_NUMBER];
	for (size_t i = 0; i < TRACKERS; i++)
		if (trackers[i]->event)
			trackers[i]->event(ledger->states[i], &moment);
}

static void note_state(struct interrupt_ledger *ledger,
		       const struct call_step *step)
{
	struct traced_cpu *cpu;

	if (step->kind != STEP_STATE && step->kind != STEP_GAP &&
	    step->kind != STEP_END)
		return;
	cpu = traced_cpus_add(&ledger->cpus, step->cpu);
	if (!cpu) {
		claims_fail(ledger->claims);
		return;
	}
	cpu->state = step->kind == STEP_STATE ? step->detail : CPU_GAP;
	cpu->has_ended = step->kind == STEP_END;
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct interrupt_ledger *ledger = (struct interrupt_ledger *)handler;

	note_state(ledger, step);
	interrupt_steps_take(ledger->steps, step);
}

static void begin(struct interrupt_listener *listener,
		  struct interrupt_piece *piece, const struct call_step *step)
{
	struct interrupt_ledger *ledger = of_listener(listener);
	const struct moment moment = of_step(ledger, piece, step);

	for (size_t i = 0; i < TRACKERS; i++)
		if (trackers[i]->begin)
			trackers[i]->begin(ledger->states[i], &moment);
	if (ledger->observer)
		ledger->observer->begin(ledger->observer, piece, step);
}

static void end(struct interrupt_listener *listener,
		struct interrupt_piece *piece, const struct call_step *step)
{
	struct interrupt_ledger *ledger = of_listener(listener);
	const struct moment moment = of_step(ledger, piece, step);

	for (size_t i = 0; i < TRACKERS; i++)
		if (trackers[i]->end)
			trackers[i]->end(ledger->states[i], &moment);
	if (ledger->observer)
		ledger->observer->end(ledger->observer, piece, step);
}

static void role(struct interrupt_listener *listener,
		 struct interrupt_piece *piece, enum interrupt_role role_taken,
		 const struct call_step *step)
{
	struct interrupt_ledger *ledger = of_listener(listener);
	const struct moment moment = of_step(ledger, piece, step);

	for (size_t i = 0; i < TRACKERS; i++)
		if (trackers[i]->role)
			trackers[i]->role(ledger->states[i], &moment,
					  role_taken, step->kind == STEP_EXIT);
}

static bool open_trackers(struct interrupt_ledger *ledger)
{
	for (size_t i = 0; i < TRACKERS; i++) {
		if (!trackers[i]->open)
			continue;
		ledger->states[i] = trackers[i]->open(ledger->claims);
		if (!ledger->states[i])
			return false;
	}
	return true;
}

static void close_trackers(struct interrupt_ledger *ledger)
{
	for (size_t i = 0; i < TRACKERS; i++) {
		if (ledger->states[i])
			trackers[i]->close(ledger->states[i]);
		ledger->states[i] = NULL;
	}
}

static bool open_parts(struct interrupt_ledger *ledger, struct path_sums *paths)
{
	const struct attribution_input *input = ledger->input;

	ledger->rows = interrupt_rows_new();
	if (ledger->rows)
		ledger->claims = claims_new(ledger->rows, paths);
	if (ledger->claims)
		ledger->stacks = interrupt_stacks_new(
			input->window, ledger->rows, ledger->claims);
	if (ledger->stacks)
		ledger->steps = interrupt_steps_new(input, ledger->stacks,
						    ledger->claims,
						    &ledger->listener);
	ledger->roles = interrupt_roles_new(input->symbols);
	return ledger->steps && ledger->roles && open_trackers(ledger);
}

struct interrupt_ledger *
interrupt_ledger_new(const struct attribution_input *input,
		     struct path_sums *paths)
{
	struct interrupt_ledger *ledger = calloc(1, sizeof(*ledger));

	if (!ledger)
		return NULL;
	ledger->handler = (struct event_handler){ .step = take_step,
						  .event = take_event };
	ledger->listener = (struct interrupt_listener){ begin, end, role };
	ledger->input = input;
	ledger->cpus = TRACED_CPUS_NONE;
	if (open_parts(ledger, paths))
		return ledger;
	interrupt_ledger_free(ledger);
	return NULL;
}

void interrupt_ledger_free(struct interrupt_ledger *ledger)
{
	if (!ledger)
		return;
	ledger->observer = NULL;
	if (ledger->steps)
		interrupt_steps_end(ledger->steps);
	close_trackers(ledger);
	interrupt_steps_free(ledger->steps);
	interrupt_stacks_free(ledger->stacks);
	interrupt_roles_free(ledger->roles);
	claims_free(ledger->claims);
	interrupt_rows_free(ledger->rows);
	traced_cpus_free(&ledger->cpus);
	free(ledger);
}

void interrupt_ledger_observe(struct interrupt_ledger *ledger,
			      struct interrupt_observer *observer)
{
	ledger->observer = observer;
}

struct event_handler *interrupt_ledger_handler(struct interrupt_ledger *ledger)
{
	return &ledger->handler;
}

struct interrupt_stack *
interrupt_ledger_stack(const struct interrupt_ledger *ledger,
		       const struct task *task, uint32_t cpu)
{
	return interrupt_stacks_of(ledger->stacks, task, cpu);
}

void interrupt_ledger_fail(struct interrupt_ledger *ledger)
{
	claims_fail(ledger->claims);
}

int interrupt_ledger_end(struct interrupt_ledger *ledger)
{
	ledger->observer = NULL;
	interrupt_steps_end(ledger->steps);
	close_trackers(ledger);
	return claims_failed(ledger->claims) ? -ERROR_MEMORY : 0;
}

const struct interrupt_row *
interrupt_ledger_row(const struct interrupt_ledger *ledger, size_t index)
{
	return interrupt_rows_at(ledger->rows, index);
}

const struct interrupt_row *
interrupt_ledger_work(const struct interrupt_ledger *ledger, size_t index)
{
	return interrupt_rows_work_at(ledger->rows, index);
}
