/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_accounts.h"

#include "attribution/attribution_input.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "attribution/interrupts/interrupt_steps_internal.h"
#include "attribution/interrupts/object_tracker_internal.h"
#include "attribution/packets/net_packets.h"
#include "attribution/time/thread_tracker.h"
#include "common/container_of.h"
#include "common/error.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>

/* The trackers, in the order in which they receive each event and step. */
static const struct object_tracker *const trackers[] = {
	&track_system,	&track_softirqs,  &track_polls,	 &track_packets,
	&track_blocks,	&track_questions, &track_works,	 &track_writeback,
	&track_rcu,	&track_reclaim,	  &track_timers, &track_ipis,
	&track_wakeups, &track_devices,
};

enum { TRACKERS = sizeof(trackers) / sizeof(*trackers) };

struct interrupt_accounts {
	struct event_handler handler;
	struct interrupt_listener listener;
	struct interrupt_observer *observer; /* or NULL */
	const struct attribution_input *input;
	struct interrupt_rows *rows;
	struct owners *owners;
	struct interrupt_stacks *stacks;
	struct interrupt_steps *steps;
	struct interrupt_roles *roles;
	const struct task_time *time;
	struct irq_names irqs;
	void *states[TRACKERS];
};

static struct interrupt_accounts *
of_listener(struct interrupt_listener *listener)
{
	return container_of(listener, struct interrupt_accounts, listener);
}

static struct event_context
context_of(const struct interrupt_accounts *accounts,
	   struct interrupt_slice *slice)
{
	return (struct event_context){
		.owners = accounts->owners,
		.symbols = accounts->input->symbols,
		.names = accounts->input->names,
		.roles = accounts->roles,
		.time = accounts->time,
		.slice = slice,
	};
}

/* Returns whether the outermost slice of @stack, which may be NULL, is own work
 * of a kernel thread.
 */
static bool is_thread(const struct interrupt_stack *stack)
{
	const struct interrupt_slice *slices = stack ? stack->slices.items :
						       NULL;

	return stack && stack->slices.count && slices->is_thread_work;
}

static struct event_context of_step(const struct interrupt_accounts *accounts,
				    struct interrupt_slice *slice,
				    const struct call_step *step)
{
	struct event_context context = context_of(accounts, slice);

	context.time_ns = step->time_ns;
	context.cpu = event_context_cpu(step->cpu == UINT32_MAX ?
						(int64_t)step->task->cpu :
						(int64_t)step->cpu);
	context.is_traced = true;
	context.task = step->task;
	context.is_thread = is_thread(
		interrupt_stacks_at(accounts->stacks, step->task->index));
	context.pid = step->task->pid;
	context.tid = step->task->tid;
	return context;
}

static struct event_context of_event(const struct interrupt_accounts *accounts,
				     const struct event_record *event)
{
	const struct task *task =
		task_time_task(accounts->time, event->cpu, event->tid);
	const struct interrupt_stack *stack =
		task ? interrupt_stacks_at(accounts->stacks, task->index) :
		       NULL;
	struct event_context context =
		context_of(accounts, stack ? interrupt_stack_top(stack) : NULL);

	context.event = event;
	context.time_ns = event->time_ns;
	context.task = task;
	context.is_thread = is_thread(stack);
	context.cpu = event_context_cpu(event->cpu);
	context.is_traced = task_time_sees(accounts->time, event->cpu);
	context.pid = event->pid;
	context.tid = event->tid;
	return context;
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct interrupt_accounts *accounts =
		(struct interrupt_accounts *)handler;
	const struct event_context context = of_event(accounts, event);

	if (irq_names_consume(&accounts->irqs, event) < 0)
		owners_fail(accounts->owners);
	if (event->event == EVENT_IRQ_ENTRY && context.slice)
		context.slice->irq = (int32_t)event->values[IRQ_NUMBER];
	for (size_t i = 0; i < TRACKERS; i++)
		if (trackers[i]->event)
			trackers[i]->event(accounts->states[i], &context);
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	const struct interrupt_accounts *accounts =
		(struct interrupt_accounts *)handler;

	interrupt_steps_consume(accounts->steps, step);
}

static uint8_t needs_function(const struct event_handler *handler,
			      uint32_t function)
{
	return interrupt_steps_need(
		((const struct interrupt_accounts *)handler)->steps, function);
}

static void limit(const struct event_handler *handler,
		  const struct call_step *step, struct skip_limits *limits)
{
	interrupt_steps_limit(
		((const struct interrupt_accounts *)handler)->steps, step,
		limits);
}

static void skip(struct event_handler *handler,
		 const struct skipped_calls *skipped)
{
	interrupt_steps_skip(((struct interrupt_accounts *)handler)->steps,
			     skipped);
}

static void pack_steps(struct event_handler *handler,
		       const struct task_pack *tasks)
{
	const struct interrupt_accounts *accounts =
		(const struct interrupt_accounts *)handler;

	interrupt_steps_pack(
		accounts->steps, tasks,
		function_count(symbols_functions(accounts->input->symbols)));
}

static void begin(struct interrupt_listener *listener,
		  struct interrupt_slice *slice, const struct call_step *step)
{
	struct interrupt_accounts *accounts = of_listener(listener);
	const struct event_context context = of_step(accounts, slice, step);

	for (size_t i = 0; i < TRACKERS; i++)
		if (trackers[i]->begin)
			trackers[i]->begin(accounts->states[i], &context);
	if (accounts->observer)
		accounts->observer->begin(accounts->observer, slice, step);
}

static void end(struct interrupt_listener *listener,
		struct interrupt_slice *slice, const struct call_step *step)
{
	struct interrupt_accounts *accounts = of_listener(listener);
	const struct event_context context = of_step(accounts, slice, step);

	for (size_t i = 0; i < TRACKERS; i++)
		if (trackers[i]->end)
			trackers[i]->end(accounts->states[i], &context);
	if (accounts->observer)
		accounts->observer->end(accounts->observer, slice, step);
}

static void role(struct interrupt_listener *listener,
		 struct interrupt_slice *slice, enum interrupt_role role_taken,
		 const struct call_step *step)
{
	struct interrupt_accounts *accounts = of_listener(listener);
	const struct event_context context = of_step(accounts, slice, step);

	for (size_t i = 0; i < TRACKERS; i++)
		if (trackers[i]->role)
			trackers[i]->role(accounts->states[i], &context,
					  role_taken, step->kind == STEP_EXIT);
}

static bool open_trackers(struct interrupt_accounts *accounts)
{
	for (size_t i = 0; i < TRACKERS; i++) {
		if (!trackers[i]->state_bytes)
			continue;
		accounts->states[i] = malloc(trackers[i]->state_bytes);
		if (!accounts->states[i])
			return false;
		trackers[i]->open(accounts->states[i], accounts->owners);
	}
	return true;
}

static void close_trackers(struct interrupt_accounts *accounts)
{
	for (size_t i = 0; i < TRACKERS; i++) {
		if (accounts->states[i])
			trackers[i]->close(accounts->states[i]);
		free(accounts->states[i]);
		accounts->states[i] = NULL;
	}
}

static bool open_parts(struct interrupt_accounts *accounts,
		       struct thread_tracker *threads)
{
	const struct attribution_input *input = accounts->input;

	accounts->time = thread_tracker_time(threads);
	if (!accounts->time)
		return false;
	accounts->rows = interrupt_rows_new();
	if (accounts->rows)
		accounts->owners = owners_new(
			accounts->rows, attribution_input_has_losses(input));
	if (accounts->owners)
		accounts->stacks = interrupt_stacks_new(
			input->window, accounts->rows, accounts->owners);
	accounts->roles = interrupt_roles_new(symbols_functions(input->symbols),
					      input->kinds);
	if (accounts->stacks && accounts->roles)
		accounts->steps = interrupt_steps_new(input, threads,
						      accounts->roles,
						      accounts->stacks,
						      &accounts->listener);
	return accounts->steps && open_trackers(accounts);
}

struct interrupt_accounts *
interrupt_accounts_new(const struct attribution_input *input,
		       struct thread_tracker *threads)
{
	struct interrupt_accounts *accounts = calloc(1, sizeof(*accounts));

	if (!accounts)
		return NULL;
	accounts->handler = (struct event_handler){ .step = consume_step,
						    .needs = needs_function,
						    .limit = limit,
						    .skip = skip,
						    .event = consume_event,
						    .pack = pack_steps };
	accounts->listener = (struct interrupt_listener){ begin, end, role };
	accounts->input = input;
	accounts->irqs = IRQ_NAMES_NONE;
	if (open_parts(accounts, threads))
		return accounts;
	interrupt_accounts_free(accounts);
	return NULL;
}

/* Returns the tracked packets, or NULL after the end. */
static struct net_packets *packets_of(const struct interrupt_accounts *accounts)
{
	size_t i = 0;

	while (trackers[i] != &track_packets)
		i++;
	return accounts->states[i] ?
		       track_packets_tracked(accounts->states[i]) :
		       NULL;
}

void interrupt_accounts_free(struct interrupt_accounts *accounts)
{
	if (!accounts)
		return;
	accounts->observer = NULL;
	if (packets_of(accounts))
		packets_of(accounts)->callbacks = NULL;
	if (accounts->rows)
		interrupt_rows_listen(accounts->rows, NULL);
	if (accounts->steps)
		interrupt_steps_end(accounts->steps);
	close_trackers(accounts);
	interrupt_steps_free(accounts->steps);
	interrupt_stacks_free(accounts->stacks);
	interrupt_roles_free(accounts->roles);
	owners_free(accounts->owners);
	interrupt_rows_free(accounts->rows);
	irq_names_free(&accounts->irqs);
	free(accounts);
}

void interrupt_accounts_observe(struct interrupt_accounts *accounts,
				struct interrupt_observer *observer)
{
	accounts->observer = observer;
}

void interrupt_accounts_packets(struct interrupt_accounts *accounts,
				struct net_callback *callback)
{
	net_packets_listen(packets_of(accounts), callback);
}

struct interrupt_rows *
interrupt_accounts_rows(const struct interrupt_accounts *accounts)
{
	return accounts->rows;
}

struct event_handler *
interrupt_accounts_handler(struct interrupt_accounts *accounts)
{
	return &accounts->handler;
}

struct interrupt_stack *
interrupt_accounts_stack(const struct interrupt_accounts *accounts,
			 const struct task *task)
{
	return interrupt_stacks_of(accounts->stacks, task);
}

void interrupt_accounts_fail(struct interrupt_accounts *accounts)
{
	owners_fail(accounts->owners);
}

int interrupt_accounts_end(struct interrupt_accounts *accounts)
{
	accounts->observer = NULL;
	interrupt_steps_end(accounts->steps);
	close_trackers(accounts);
	return owners_failed(accounts->owners) ? -ERROR_MEMORY : 0;
}

const char *interrupt_accounts_device(const struct interrupt_accounts *accounts,
				      int32_t irq)
{
	return irq_names_find(&accounts->irqs, irq);
}

void interrupt_accounts_keep(struct event_handler *handler,
			     struct cache_file_writer *writer)
{
	const struct interrupt_accounts *accounts =
		(const struct interrupt_accounts *)handler;

	interrupt_stacks_keep_times(accounts->stacks);
	interrupt_rows_keep(accounts->rows, writer);
}

void interrupt_accounts_pack_rest(struct event_handler *handler,
				  struct pack *pack)
{
	struct interrupt_accounts *accounts =
		(struct interrupt_accounts *)handler;

	irq_names_pack(&accounts->irqs, pack);
}

void interrupt_accounts_read(struct event_handler *handler, struct pack *pack)
{
	const struct interrupt_accounts *accounts =
		(const struct interrupt_accounts *)handler;

	interrupt_rows_read(
		accounts->rows, accounts->input->window,
		function_count(symbols_functions(accounts->input->symbols)),
		pack);
}
