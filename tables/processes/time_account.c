/* SPDX-License-Identifier: MIT */
#include "tables/processes/time_account.h"

#include "attribution/events/known_events.h"
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/time/on_cpu.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/text/task_names.h"
#include "tables/table.h"

#include <stdbool.h>
#include <stdlib.h>

struct time_accounts {
	struct event_handler handler;
	struct span_callback callback;
	const struct attribution_input *input;
	const struct thread_tracker *threads;
	const struct task_time *time;
	const struct interrupt_accounts *interrupts;
	struct array accounts;	    /* struct time_account by task index */
	const struct task *counted; /* has an account: of the last count */
	int status;
};

static struct time_account *account_of(struct time_accounts *accounts,
				       const struct task *task)
{
	struct time_account *account;

	account = array_reach(&accounts->accounts, task->index);
	if (!account) {
		accounts->status = -ERROR_MEMORY;
		return NULL;
	}
	account->task = task;
	return account;
}

/* Now it is known what the thread was in when it was first seen. */
static void resolve_provisional(struct time_account *account,
				const struct time_span *span)
{
	enum time_class time_class = on_cpu_resolved_class(span);

	account->class_ns[TIME_KERNEL] -= account->provisional_ns;
	account->class_ns[time_class] += account->provisional_ns;
	account->provisional_ns = 0;
}

static void take_span(struct span_callback *callback,
		      const struct time_span *span)
{
	struct time_accounts *accounts =
		container_of(callback, struct time_accounts, callback);
	uint64_t size_ns = span->end_ns - span->begin_ns;
	struct time_account *account;

	if (!step_filter_cpu(accounts->input->filter, (uint32_t)span->cpu))
		return;
	account = account_of(accounts, span->task);
	if (!account)
		return;
	if (span->is_provisional && span->time_class == TIME_KERNEL)
		account->provisional_ns += size_ns;
	else if (!span->is_provisional && span->time_class < TIME_RUNNABLE &&
		 account->provisional_ns)
		resolve_provisional(account, span);
	class_error_bound_take(&account->error_bound, span);
	account->wall_ns += size_ns;
	account->class_ns[time_span_account(span)] += size_ns;
	if (span->is_behind_recorder)
		account->recorder_wait += size_ns;
	if (span->time_class == TIME_UNKNOWN)
		account->unknown_ns[span->reason] += size_ns;
	else if (span->time_class < TIME_RUNNABLE)
		account->busy_ns += size_ns;
}

static void count_work(struct time_account *account, uint8_t kind)
{
	if (kind == CONTEXT_SYSTEM_CALL)
		account->system_calls++;
	else if (kind == CONTEXT_FAULT || kind == CONTEXT_EXCEPTION)
		account->faults++;
}

static bool is_counted(const struct time_accounts *accounts,
		       const struct call_step *step)
{
	return time_window_has(accounts->input->window, step->time_ns) &&
	       step_filter_cpu(accounts->input->filter, step->cpu);
}

/* Counts what @step began. */
static void count_step(struct time_accounts *accounts,
		       const struct call_step *step)
{
	bool is_call = step->kind == STEP_ENTER && step->how != HOW_INFERRED;
	const struct open_context *contexts;
	struct time_account *account;
	size_t count;

	if (!(is_call || step->kind == STEP_LEAVE) ||
	    !is_counted(accounts, step))
		return;
	account = account_of(accounts, step->task);
	if (!account)
		return;
	accounts->counted = step->task;
	if (!is_call) {
		account->context_switches++;
		return;
	}
	contexts =
		task_time_contexts(accounts->time, step->task->index, &count);
	if (count && contexts[count - 1].depth == step->depth &&
	    contexts[count - 1].function == step->function)
		count_work(account, contexts[count - 1].kind);
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct time_accounts *accounts = (struct time_accounts *)handler;

	/* A call that changes nothing begins no work, but may be its thread's
	 * first that counts.
	 */
	if (thread_tracker_has_changed(accounts->threads) ||
	    step->task != accounts->counted)
		count_step(accounts, step);
}

struct time_accounts *time_accounts_new(const struct attribution_input *input)
{
	struct time_accounts *accounts = calloc(1, sizeof(*accounts));
	struct thread_tracker *threads = trackers_threads(input->trackers);

	if (!accounts)
		return NULL;
	accounts->handler.step = take_step;
	accounts->callback.take = take_span;
	accounts->input = input;
	accounts->accounts = ARRAY_OF(struct time_account);
	accounts->threads = threads;
	accounts->time = thread_tracker_time(threads);
	accounts->interrupts = trackers_interrupts(input->trackers);
	if (accounts->time && accounts->interrupts &&
	    !trackers_follow(input->trackers, &accounts->handler) &&
	    !thread_tracker_hand_spans(threads, &accounts->callback,
				       input->window))
		return accounts;
	time_accounts_free(accounts);
	return NULL;
}

void time_accounts_free(struct time_accounts *accounts)
{
	if (!accounts)
		return;
	array_free(&accounts->accounts);
	free(accounts);
}

const struct interrupt_accounts *
time_accounts_interrupts(const struct time_accounts *accounts)
{
	return accounts->interrupts;
}

/* Timers and work items lead to most of it. */
bool time_accounts_follow(const struct known_events *events)
{
	return known_events_has(events, EVENT_HRTIMER_EXPIRE) &&
	       known_events_has(events, EVENT_WORK_BEGIN);
}

/* Of what the interrupts has, the filter of CPUs may want a part only. */
static void split_interrupts(const struct time_accounts *accounts,
			     struct time_account *account)
{
	struct interrupt_shares shares =
		interrupt_accounts_thread(accounts->interrupts, account->task);
	uint64_t all_ns = account->class_ns[TIME_INTERRUPT];

	if (!time_accounts_follow(accounts->input->events))
		shares.own_ns = 0;
	account->benefited_ns = shares.own_ns < all_ns ? shares.own_ns : all_ns;
	account->stolen_ns = all_ns - account->benefited_ns;
}

/* Fills in what is known of a whole thread only at the end. */
static void complete(const struct time_accounts *accounts,
		     struct time_account *account)
{
	const struct task_names *names = accounts->input->names;
	const struct task *task = account->task;

	account->tid = task->tid;
	account->pid = task->pid;
	if (account->pid < 0)
		account->pid = task_names_process(names, task->tid);
	account->comm = task_names_last(names, task->tid);
	account->threads = 1;
	account->uncertain = class_error_bound_ns(&account->error_bound);
	split_interrupts(accounts, account);
}

int time_accounts_end(struct time_accounts *accounts)
{
	for (size_t i = 0; i < accounts->accounts.count; i++) {
		struct time_account *account = array_at(&accounts->accounts, i);

		if (account->task)
			complete(accounts, account);
	}
	return accounts->status;
}

static bool is_wanted(const struct time_accounts *accounts,
		      const struct time_account *account)
{
	struct task task;

	if (!account->wall_ns)
		return false;
	task = *account->task;
	task.pid = account->pid;
	return step_filter_task(accounts->input->filter, &task);
}

int time_accounts_threads(const struct time_accounts *accounts,
			  struct array *list)
{
	for (size_t i = 0; i < accounts->accounts.count; i++) {
		const struct time_account *thread =
			array_at(&accounts->accounts, i);
		struct time_account *account;

		if (!is_wanted(accounts, thread))
			continue;
		account = array_add(list);
		if (!account)
			return -ERROR_MEMORY;
		*account = *thread;
	}
	return 0;
}
