/* SPDX-License-Identifier: MIT */
#include "tables/processes/time_account.h"

#include "attribution/events/known_events.h"
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/time/on_cpu.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/text/task_names.h"
#include "tables/processes/interrupt_sums.h"
#include "tables/processes/time_record.h"
#include "tables/table.h"

#include <stdbool.h>
#include <stdlib.h>

struct time_accounts {
	struct event_handler handler;
	struct span_callback callback;
	const struct attribution_input *input;
	const struct thread_tracker *threads;
	const struct task_time *time;
	struct interrupt_accounts *interrupts; /* or NULL */
	struct interrupt_sums sums;	       /* of interrupts, at the end */
	struct array accounts; /* struct time_account by task index */
	struct time_records records;
	uint64_t until_ns; /* end of the last span of any thread */
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

/* Moves provisional time to @time_class, once the state in which the thread was
 * first seen is known.
 */
static void resolve_provisional(struct time_account *account,
				enum time_class time_class)
{
	account->class_ns[TIME_KERNEL] -= account->provisional_ns;
	account->class_ns[time_class] += account->provisional_ns;
	account->provisional_ns = 0;
}

static void add_span(struct time_account *account, const struct time_span *span,
		     enum time_class resolved)
{
	uint64_t size_ns = span->end_ns - span->begin_ns;

	if (span->is_provisional && span->time_class == TIME_KERNEL)
		account->provisional_ns += size_ns;
	else if (!span->is_provisional && span->time_class < TIME_RUNNABLE &&
		 account->provisional_ns)
		resolve_provisional(account, resolved);
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

/* Adds the part of the span that is in the window. */
static void add_part(struct time_accounts *accounts,
		     struct time_account *account,
		     const struct time_record *record)
{
	const struct time_window *window = &accounts->input->window;
	struct time_span part = record->span;

	if (!time_span_cut(&part, window->since_ns, window->until_ns))
		return;
	if (part.end_ns > accounts->until_ns)
		accounts->until_ns = part.end_ns;
	add_span(account, &part, (enum time_class)record->resolved);
}

static void count(struct time_account *account,
		  const struct time_record *record, struct time_window window)
{
	if (!time_window_has(window, record->span.begin_ns))
		return;
	if (record->kind == RECORD_SWITCH)
		account->context_switches++;
	else if (record->kind == RECORD_SYSTEM_CALL)
		account->system_calls++;
	else
		account->faults++;
}

static void add(struct time_accounts *accounts,
		const struct time_record *record)
{
	const struct attribution_input *input = accounts->input;
	struct time_account *account;

	if (!step_filter_cpu(input->filter, (uint32_t)record->span.cpu))
		return;
	account = account_of(accounts, record->span.task);
	if (!account)
		return;
	if (record->kind == RECORD_SPAN)
		add_part(accounts, account, record);
	else
		count(account, record, input->window);
}

static void take(struct time_accounts *accounts,
		 const struct time_record *record)
{
	if (accounts->records.writer &&
	    time_records_keep(&accounts->records, record) < 0)
		accounts->status = -ERROR_MEMORY;
	add(accounts, record);
}

static void take_span(struct span_callback *callback,
		      const struct time_span *span)
{
	const struct time_record record = {
		.kind = RECORD_SPAN,
		.resolved = (uint8_t)on_cpu_resolved_class(span),
		.span = *span,
	};

	take(container_of(callback, struct time_accounts, callback), &record);
}

/* Returns the kind of the context that @step has just started; RECORD_SPAN:
 * none is counted.
 */
static enum time_record_kind begun_by(const struct time_accounts *accounts,
				      const struct call_step *step)
{
	size_t count;
	const struct open_context *contexts =
		task_time_contexts(accounts->time, step->task->index, &count);
	const struct open_context *top = count ? &contexts[count - 1] : NULL;

	if (!top || top->depth != step->depth ||
	    top->function != step->function)
		return RECORD_SPAN;
	if (top->kind == CONTEXT_SYSTEM_CALL)
		return RECORD_SYSTEM_CALL;
	return top->kind == CONTEXT_FAULT || top->kind == CONTEXT_EXCEPTION ?
		       RECORD_FAULT :
		       RECORD_SPAN;
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct time_accounts *accounts = (struct time_accounts *)handler;
	struct time_record record = {
		.span = { .task = step->task,
			  .cpu = (int32_t)step->cpu,
			  .begin_ns = step->time_ns,
			  .end_ns = step->time_ns },
	};

	/* A call event that changes no context starts none. */
	if (!thread_tracker_has_changed(accounts->threads))
		return;
	if (step->kind == STEP_LEAVE)
		record.kind = RECORD_SWITCH;
	else if (step->kind == STEP_ENTER && step->how != HOW_INFERRED &&
		 step->how != HOW_RESUMED)
		record.kind = (uint8_t)begun_by(accounts, step);
	if (record.kind != RECORD_SPAN)
		take(accounts, &record);
}

struct time_accounts *time_accounts_new(const struct attribution_input *input,
					bool with_credits)
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
	accounts->records = TIME_RECORDS_NONE;
	accounts->sums = INTERRUPT_SUMS_NONE;
	if (with_credits)
		accounts->interrupts = trackers_interrupts(input->trackers);
	if (accounts->time && (accounts->interrupts || !with_credits) &&
	    !trackers_follow(input->trackers, &accounts->handler) &&
	    !thread_tracker_hand_spans(threads, &accounts->callback,
				       TIME_WINDOW_ALL))
		return accounts;
	time_accounts_free(accounts);
	return NULL;
}

void time_accounts_free(struct time_accounts *accounts)
{
	if (!accounts)
		return;
	array_free(&accounts->accounts);
	interrupt_sums_free(&accounts->sums);
	time_records_free(&accounts->records);
	free(accounts);
}

void time_accounts_keep(struct time_accounts *accounts,
			struct kept_file_writer *writer)
{
	accounts->records.writer = writer;
}

void time_accounts_pack_tasks(struct time_accounts *accounts, struct pack *pack)
{
	time_records_pack_tasks(&accounts->records, pack);
}

void time_accounts_read(struct time_accounts *accounts, struct pack *pack)
{
	struct time_record record;

	time_records_read(&accounts->records, pack, &record);
	if (!pack->failed)
		add(accounts, &record);
}

struct interrupt_accounts *
time_accounts_interrupts(const struct time_accounts *accounts)
{
	return accounts->interrupts;
}

const struct interrupt_sums *
time_accounts_sums(const struct time_accounts *accounts)
{
	return accounts->interrupts ? &accounts->sums : NULL;
}

/* The beneficiary of most interrupt work is found by timers and work items. */
bool time_accounts_follow(const struct known_events *events)
{
	return known_events_has(events, EVENT_HRTIMER_EXPIRE) &&
	       known_events_has(events, EVENT_WORK_BEGIN);
}

/* Splits the account's interrupt time. The sums cover all CPUs, but a CPU
 * filter may have left out a part of it.
 */
static void split_interrupts(const struct time_accounts *accounts,
			     struct time_account *account)
{
	struct interrupt_shares shares = { 0 };
	uint64_t all_ns = account->class_ns[TIME_INTERRUPT];

	if (time_accounts_follow(accounts->input->events))
		shares = interrupt_sums_thread(&accounts->sums,
					       account->task->tid);
	account->benefited_ns = shares.own_ns < all_ns ? shares.own_ns : all_ns;
	account->stolen_ns = all_ns - account->benefited_ns;
}

/* Fills in the fields that are known only at the end. */
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
	account->uncertain =
		class_error_bound_ns(&account->error_bound, accounts->until_ns);
	split_interrupts(accounts, account);
}

int time_accounts_end(struct time_accounts *accounts)
{
	if (accounts->interrupts &&
	    interrupt_sums_add(&accounts->sums, accounts->interrupts) < 0)
		accounts->status = -ERROR_MEMORY;
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

		if (!is_wanted(accounts, thread))
			continue;
		if (array_append(list, thread) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}
