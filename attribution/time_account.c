/* SPDX-License-Identifier: MIT */
#include "attribution/time_account.h"

#include "attribution/on_cpu.h"
#include "attribution/table.h"
#include "attribution/task_time.h"
#include "attribution/task_work.h"
#include "common/array.h"
#include "common/error.h"
#include "common/number_map.h"
#include "report/call_step.h"
#include "report/task_names.h"

#include <stdbool.h>
#include <stdlib.h>

struct time_accounts {
	struct witness witness;
	struct span_sink sink;
	const struct attribution_input *input;
	struct task_time *time;
	struct array threads;	/* struct time_account by task index */
	int status;
};

static struct time_account *account_of(struct time_accounts *accounts,
				       const struct task *task)
{
	struct time_account *account;

	while (accounts->threads.count <= task->index)
		if (!array_add(&accounts->threads)) {
			accounts->status = -ERROR_MEMORY;
			return NULL;
		}
	account = array_at(&accounts->threads, task->index);
	account->task = task;
	return account;
}

/* Now it is known what the thread was in when it was first seen. */
static void settle_provisional(struct time_account *account,
			       const struct time_span *span)
{
	const struct open_work found[] = {
		span->work_count ? *span->works : (struct open_work){ 0 },
		{ .kind = WORK_SCHEDULE },
	};
	enum time_class time_class = on_cpu_class(found, 2, false);

	if (!(found->doubt & DOUBT_BEGIN))
		time_class = TIME_KERNEL;
	account->class_ns[TIME_KERNEL] -= account->provisional_ns;
	account->class_ns[time_class] += account->provisional_ns;
	account->provisional_ns = 0;
}

static void take_span(struct span_sink *sink, const struct time_span *span)
{
	struct time_accounts *accounts = (struct time_accounts *)(
		(char *)sink - offsetof(struct time_accounts, sink));
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
		settle_provisional(account, span);
	account->wall_ns += size_ns;
	account->class_ns[span->time_class] += size_ns;
	if (span->time_class == TIME_UNKNOWN)
		account->unknown_ns[span->reason] += size_ns;
	else if (span->time_class < TIME_RUNNABLE)
		account->busy_ns += size_ns;
}

static void count_work(struct time_account *account, uint8_t kind)
{
	if (kind == WORK_SYSTEM_CALL)
		account->system_calls++;
	else if (kind == WORK_FAULT || kind == WORK_EXCEPTION)
		account->faults++;
}

static bool is_counted(const struct time_accounts *accounts,
		       const struct call_step *step)
{
	return step->time_ns >= accounts->input->window.since_ns &&
	       step->time_ns < accounts->input->window.until_ns &&
	       step_filter_cpu(accounts->input->filter, step->cpu);
}

/* Counts what @step began. */
static void count_step(struct time_accounts *accounts,
		       const struct call_step *step)
{
	bool is_call = step->kind == STEP_ENTER && step->how != HOW_INFERRED;
	const struct open_work *works;
	struct time_account *account;
	size_t count;

	if (!(is_call || step->kind == STEP_LEAVE) ||
	    !is_counted(accounts, step))
		return;
	account = account_of(accounts, step->task);
	if (!account)
		return;
	if (!is_call) {
		account->context_switches++;
		return;
	}
	works = task_time_works(accounts->time, step->task->index, &count);
	if (count && works[count - 1].depth == step->depth)
		count_work(account, works[count - 1].kind);
}

static void take_step(struct witness *witness, const struct call_step *step)
{
	struct time_accounts *accounts = (struct time_accounts *)witness;

	task_time_step(accounts->time, step);
	count_step(accounts, step);
}

static void take_event(struct witness *witness,
		       const struct event_record *event)
{
	task_time_event(((struct time_accounts *)witness)->time, event);
}

static void take_record(struct witness *witness,
			const struct sideband_record *record)
{
	task_time_record(((struct time_accounts *)witness)->time, record);
}

struct time_accounts *time_accounts_new(const struct attribution_input *input)
{
	struct time_accounts *accounts = calloc(1, sizeof(*accounts));
	struct task_time_options options = task_time_options_of(input);

	if (!accounts)
		return NULL;
	accounts->witness = (struct witness){
		.step = take_step,
		.event = take_event,
		.record = take_record,
	};
	accounts->sink.take = take_span;
	accounts->input = input;
	accounts->threads = ARRAY_OF(struct time_account);
	accounts->time = task_time_new(&options, &accounts->sink);
	if (!accounts->time) {
		time_accounts_free(accounts);
		return NULL;
	}
	return accounts;
}

void time_accounts_free(struct time_accounts *accounts)
{
	if (!accounts)
		return;
	task_time_free(accounts->time);
	array_free(&accounts->threads);
	free(accounts);
}

struct witness *time_accounts_witness(struct time_accounts *accounts)
{
	return &accounts->witness;
}

/* What is known of the whole thread only at the end. */
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
	account->stolen_ns = account->class_ns[TIME_INTERRUPT];
}

int time_accounts_end(struct time_accounts *accounts)
{
	int status = task_time_end(accounts->time);

	for (size_t i = 0; i < accounts->threads.count; i++) {
		struct time_account *account = array_at(&accounts->threads, i);

		if (account->task)
			complete(accounts, account);
	}
	return status < 0 ? status : accounts->status;
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
	for (size_t i = 0; i < accounts->threads.count; i++) {
		const struct time_account *thread =
			array_at(&accounts->threads, i);
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

static void add_to(struct time_account *sum, const struct time_account *part)
{
	sum->threads += part->threads;
	sum->wall_ns += part->wall_ns;
	for (int i = 0; i < TIME_CLASSES; i++)
		sum->class_ns[i] += part->class_ns[i];
	sum->benefited_ns += part->benefited_ns;
	sum->stolen_ns += part->stolen_ns;
	for (int i = 0; i < UNKNOWN_REASONS; i++)
		sum->unknown_ns[i] += part->unknown_ns[i];
	sum->context_switches += part->context_switches;
	sum->system_calls += part->system_calls;
	sum->faults += part->faults;
	sum->busy_ns += part->busy_ns;
}

/* Returns the account of @thread's process in @list. */
static struct time_account *process_of(const struct time_accounts *accounts,
				       const struct time_account *thread,
				       struct number_map *by_pid,
				       struct array *list)
{
	uint64_t *number = number_map_add(by_pid, (uint64_t)thread->pid);
	struct time_account *process;

	if (!number)
		return NULL;
	if (*number)
		return array_at(list, *number - 1);
	process = array_add(list);
	if (!process)
		return NULL;
	*number = list->count;
	process->task = thread->task;
	process->pid = thread->pid;
	process->tid = thread->pid;
	process->comm = thread->pid < 0 ?
				thread->comm :
				task_names_last(accounts->input->names,
						thread->pid);
	return process;
}

int time_accounts_processes(const struct time_accounts *accounts,
			    struct array *list)
{
	struct number_map *by_pid = number_map_new();
	int status = by_pid ? 0 : -ERROR_MEMORY;

	for (size_t i = 0; !status && i < accounts->threads.count; i++) {
		const struct time_account *thread =
			array_at(&accounts->threads, i);
		struct time_account *process;

		if (!is_wanted(accounts, thread))
			continue;
		process = process_of(accounts, thread, by_pid, list);
		if (process)
			add_to(process, thread);
		else
			status = -ERROR_MEMORY;
	}
	number_map_free(by_pid);
	return status;
}
