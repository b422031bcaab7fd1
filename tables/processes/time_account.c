/* SPDX-License-Identifier: MIT */
#include "tables/processes/time_account.h"

#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "attribution/table_records.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/time_span.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "common/maps.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "report/text/task_names.h"
#include "tables/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Returns @error_ns, but at most the longer of the intervals before and after
 * the border: a border cannot be beyond its neighbours.
 */
static uint64_t limit(uint64_t error_ns, uint64_t before_ns, uint64_t after_ns)
{
	uint64_t room_ns = before_ns > after_ns ? before_ns : after_ns;

	return error_ns < room_ns ? error_ns : room_ns;
}

static uint64_t error_of_last(const struct class_error_bound *bound)
{
	return limit(bound->error_ns, bound->before_ns, bound->since_ns);
}

/* Returns the error of the thread's end, where the next span or the end of the
 * recording is at @next_ns.
 */
static uint64_t error_of_end(const struct class_error_bound *bound,
			     uint64_t next_ns)
{
	uint64_t after_ns =
		next_ns > bound->last_ns ? next_ns - bound->last_ns : 0;

	return limit(bound->end_error_ns, bound->since_ns, after_ns);
}

void class_error_bound_consume(struct class_error_bound *bound,
			       const struct time_span *span)
{
	uint64_t size_ns = span->end_ns - span->begin_ns;
	uint64_t end_error_ns = error_of_end(bound, span->begin_ns);

	/* The thread has ended, and another one has its number. */
	if (end_error_ns > span->begin_error_ns)
		bound->sum_ns += end_error_ns - span->begin_error_ns;
	bound->end_error_ns = span->end_error_ns;
	bound->last_ns = span->end_ns;
	if (bound->since_ns && bound->time_class != span->time_class) {
		bound->sum_ns += error_of_last(bound);
		bound->before_ns = bound->since_ns;
		bound->error_ns = span->begin_error_ns;
		bound->since_ns = 0;
	}
	bound->time_class = span->time_class;
	bound->since_ns += size_ns;
}

uint64_t class_error_bound_ns(const struct class_error_bound *bound,
			      uint64_t until_ns)
{
	return bound->sum_ns + error_of_last(bound) +
	       error_of_end(bound, until_ns);
}

static int add_to_thread(struct interrupt_sums *sums,
			 const struct interrupt_row *row)
{
	struct interrupt_shares *shares = keyed_array_add(
		&sums->threads,
		&(struct interrupt_shares){ .tid = row->victim_tid });

	if (!shares)
		return -ERROR_MEMORY;
	if (row->pid == row->victim_pid)
		shares->own_ns += row->total_ns;
	else
		shares->stolen_ns += row->total_ns;
	return 0;
}

static int add_to_process(struct interrupt_sums *sums,
			  const struct interrupt_row *row)
{
	struct interrupt_credit *credit =
		keyed_array_add(&sums->processes,
				&(struct interrupt_credit){ .pid = row->pid });

	if (!credit)
		return -ERROR_MEMORY;
	if (row->is_thread_work)
		credit->work_ns += row->total_ns;
	else
		credit->interrupt_ns += row->total_ns;
	return 0;
}

int interrupt_sums_add(struct interrupt_sums *sums,
		       const struct interrupt_accounts *accounts)
{
	const struct interrupt_rows *rows = interrupt_accounts_rows(accounts);
	const struct interrupt_row *row;
	int status = 0;

	for (size_t i = 0; !status && (row = interrupt_rows_at(rows, i)); i++) {
		if (!row->is_thread_work)
			status = add_to_thread(sums, row);
		if (!status && row->victim_pid != row->pid)
			status = add_to_process(sums, row);
	}
	return status;
}

void interrupt_sums_free(struct interrupt_sums *sums)
{
	keyed_array_free(&sums->threads);
	keyed_array_free(&sums->processes);
}

struct interrupt_shares interrupt_sums_thread(const struct interrupt_sums *sums,
					      int32_t tid)
{
	const struct interrupt_shares *shares =
		keyed_array_find(&sums->threads, &tid);

	return shares ? *shares : (struct interrupt_shares){ .tid = tid };
}

struct interrupt_credit
interrupt_sums_process(const struct interrupt_sums *sums, int32_t pid)
{
	const struct interrupt_credit *credit =
		keyed_array_find(&sums->processes, &pid);

	return credit ? *credit : (struct interrupt_credit){ .pid = pid };
}

/* For indices of tasks without records. */
#define NO_TASK ((struct task){ .tid = -1, .pid = -1, .cpu = -1 })

void time_records_free(struct time_records *records)
{
	array_free(&records->kept);
	array_free(&records->read);
}

static void pack_span(struct pack *pack, struct time_record *record)
{
	struct time_span *span = &record->span;

	pack_u64(pack, &span->end_ns);
	pack_small(pack, &span->time_class, TIME_CLASSES - 1);
	pack_small(pack, &span->reason, UNKNOWN_REASONS - 1);
	pack_small(pack, &record->resolved, TIME_CLASSES - 1);
	pack_bool(pack, &span->is_provisional);
	pack_bool(pack, &span->is_behind_recorder);
	pack_bool(pack, &span->is_throttled);
	pack_u32(pack, &span->begin_error_ns);
	pack_u32(pack, &span->end_error_ns);
}

static void pack_record(struct pack *pack, struct time_record *record,
			uint32_t *index)
{
	struct time_span *span = &record->span;

	pack_small(pack, &record->kind, TIME_RECORD_KINDS - 1);
	pack_u32(pack, index);
	pack_i32(pack, &span->cpu);
	pack_u64(pack, &span->begin_ns);
	if (record->kind == RECORD_SPAN)
		pack_span(pack, record);
	else
		span->end_ns = span->begin_ns;
}

int time_records_keep(struct time_records *records,
		      const struct time_record *record)
{
	const struct time_span *span = &record->span;
	const struct cached_span when =
		cached_span_of(span->begin_ns, span->end_ns);
	uint32_t index = span->task->index;
	const struct task **slot = array_reach(&records->kept, index);
	struct time_record kept = *record;

	if (!slot)
		return -ERROR_MEMORY;
	*slot = span->task;
	pack_record(cache_file_writer_pack(records->writer), &kept, &index);
	cache_file_writer_add(records->writer, &when);
	return 0;
}

void time_records_read(const struct time_records *records, struct pack *pack,
		       struct time_record *record)
{
	uint32_t index = 0;

	*record = (struct time_record){ 0 };
	pack_record(pack, record, &index);
	pack_check(pack, index < records->read.count);
	if (!pack->failed)
		record->span.task = array_at(&records->read, index);
}

static void pack_task(struct time_records *records, struct pack *pack,
		      uint32_t index)
{
	struct task task = NO_TASK;
	const struct task *kept;
	struct task *read;

	if (!pack->is_reading) {
		kept = *(const struct task **)array_at(&records->kept, index);
		if (kept)
			task = *kept;
	}
	task_pack_facts(pack, &task);
	if (!pack->is_reading || pack->failed)
		return;
	task.index = index;
	read = array_add(&records->read);
	pack_check(pack, read);
	if (read)
		*read = task;
}

void time_records_pack_tasks(struct time_records *records, struct pack *pack)
{
	uint32_t count = (uint32_t)records->kept.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++)
		pack_task(records, pack, i);
}

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

/* Moves provisional time to @time_class, once the thread's first
 * state is known.
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
	class_error_bound_consume(&account->error_bound, span);
	account->wall_ns += size_ns;
	account->class_ns[time_span_class(span)] += size_ns;
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

static void consume(struct time_accounts *accounts,
		    const struct time_record *record)
{
	if (accounts->records.writer &&
	    time_records_keep(&accounts->records, record) < 0)
		accounts->status = -ERROR_MEMORY;
	add(accounts, record);
}

static void consume_span(struct span_callback *callback,
			 const struct time_span *span)
{
	const struct time_record record = {
		.kind = RECORD_SPAN,
		.resolved = (uint8_t)on_cpu_resolved_class(span),
		.span = *span,
	};

	consume(container_of(callback, struct time_accounts, callback),
		&record);
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

/* Counts the switch or the context that begins with @step. */
static void consume_change(struct time_accounts *accounts,
			   const struct call_step *step)
{
	struct time_record record = {
		.span = { .task = step->task,
			  .cpu = (int32_t)step->cpu,
			  .begin_ns = step->time_ns,
			  .end_ns = step->time_ns },
	};

	if (step->kind == STEP_LEAVE)
		record.kind = RECORD_SWITCH;
	else if (step->kind == STEP_ENTER && step->how != HOW_INFERRED &&
		 step->how != HOW_RESUMED)
		record.kind = (uint8_t)begun_by(accounts, step);
	if (record.kind != RECORD_SPAN)
		consume(accounts, &record);
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct time_accounts *accounts = (struct time_accounts *)handler;

	/* A call event that changes no context starts none. */
	if (thread_tracker_has_changed(accounts->threads))
		consume_change(accounts, step);
}

struct time_accounts *time_accounts_new(const struct attribution_input *input,
					bool with_credits)
{
	struct time_accounts *accounts = calloc(1, sizeof(*accounts));
	struct thread_tracker *threads = trackers_threads(input->trackers);

	if (!accounts)
		return NULL;
	accounts->handler.step = consume_step;
	/* The tracker gets all steps that may start a context, so no more are
	 * needed here.
	 */
	accounts->handler.limit = event_handler_limits_nothing;
	accounts->callback.consume = consume_span;
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

static void pack_rest(struct event_handler *handler, struct pack *pack)
{
	time_records_pack_tasks(&((struct time_accounts *)handler)->records,
				pack);
}

static void consume_record(struct event_handler *handler, struct pack *pack)
{
	struct time_accounts *accounts = (struct time_accounts *)handler;
	struct time_record record;

	time_records_read(&accounts->records, pack, &record);
	if (!pack->failed)
		add(accounts, &record);
}

const struct table_records time_account_records = {
	.name = "threads",
	.writer = offsetof(struct time_accounts, records.writer),
	.pack_rest = pack_rest,
	.consume = consume_record,
	.wanted = table_records_overlap,
};

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

/* Returns whether beneficiaries of interrupt work can be found: most of it is
 * for timers and work items.
 */
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

static void add_to(struct time_account *sum, const struct time_account *part)
{
	sum->threads += part->threads;
	sum->wall_ns += part->wall_ns;
	for (int i = 0; i < TIME_CLASSES; i++)
		sum->class_ns[i] += part->class_ns[i];
	sum->recorder_wait += part->recorder_wait;
	sum->benefited_ns += part->benefited_ns;
	sum->stolen_ns += part->stolen_ns;
	for (int i = 0; i < UNKNOWN_REASONS; i++)
		sum->unknown_ns[i] += part->unknown_ns[i];
	sum->uncertain += part->uncertain;
	sum->context_switches += part->context_switches;
	sum->system_calls += part->system_calls;
	sum->faults += part->faults;
	sum->busy_ns += part->busy_ns;
}

/* Sums of threads' accounts by process or group. */
struct sums {
	const struct task_names *names;
	const struct task_groups *groups;	 /* or NULL */
	const struct interrupt_sums *interrupts; /* or NULL */
	struct array *list;			 /* struct time_account */
	struct number_map by_pid;		 /* index in the list, plus 1 */
	struct number_map credited; /* processes whose credit has been added */
};

/* Returns the sum for @pid; NULL when out of memory. */
static struct time_account *sum_of(struct sums *sums, int32_t pid)
{
	uint64_t *number = number_map_add(&sums->by_pid, (uint32_t)pid);
	struct time_account *sum;

	if (number && *number)
		return array_at(sums->list, *number - 1);
	sum = number ? array_add(sums->list) : NULL;
	if (!sum)
		return NULL;
	*number = sums->list->count;
	sum->pid = pid;
	sum->tid = pid;
	return sum;
}

/* Adds the interrupt and kernel work that other processes' threads did for
 * process @pid to the sum of @to, unless it was added before. Returns 0 or
 * -ERROR_MEMORY.
 */
static int add_credit(struct sums *sums, int32_t to, int32_t pid)
{
	struct interrupt_credit credit;
	uint64_t *seen = number_map_add(&sums->credited, (uint32_t)pid);
	struct time_account *sum;

	if (!seen)
		return -ERROR_MEMORY;
	if ((*seen)++)
		return 0;
	credit = interrupt_sums_process(sums->interrupts, pid);
	if (!credit.interrupt_ns && !credit.work_ns)
		return 0;
	sum = sum_of(sums, to);
	if (!sum)
		return -ERROR_MEMORY;
	sum->interrupt_work_elsewhere += credit.interrupt_ns;
	sum->kernel_work_elsewhere += credit.work_ns;
	return 0;
}

static int add_thread(struct sums *sums, const struct time_account *thread)
{
	struct task task = *thread->task;
	struct time_account *sum;
	int32_t pid;

	task.pid = thread->pid;
	pid = sums->groups ? task_groups_of(sums->groups, &task) : thread->pid;
	sum = sum_of(sums, pid);
	if (!sum)
		return -ERROR_MEMORY;
	sum->task = thread->task;
	sum->comm = pid < 0 ? thread->comm : task_names_last(sums->names, pid);
	add_to(sum, thread);
	if (!sums->interrupts)
		return 0;
	return add_credit(sums,
			  sums->groups ? task_groups_beneficiary(sums->groups,
								 thread->pid) :
					 pid,
			  thread->pid);
}

int process_accounts_add(const struct array *threads,
			 const struct task_names *names,
			 const struct task_groups *groups,
			 const struct interrupt_sums *interrupts,
			 struct array *processes)
{
	struct sums sums = {
		.names = names,
		.groups = groups,
		.interrupts = interrupts,
		.list = processes,
	};
	int status = 0;

	for (size_t i = 0; !status && i < threads->count; i++)
		status = add_thread(&sums, array_at(threads, i));
	if (!status && groups && interrupts)
		status = add_credit(&sums, GROUP_KERNEL, 0);
	if (!status && groups && interrupts)
		status = add_credit(&sums, GROUP_NOBODY, -1);
	number_map_free(&sums.by_pid);
	number_map_free(&sums.credited);
	return status;
}

uint64_t time_account_weight(const struct time_account *account)
{
	return account->is_own ? account->wall_ns : account->busy_ns;
}

enum {
	SMALL = 10,	   /* less than this part of the heaviest row */
	MOST_NAMES = 1000, /* further names are not folded */
};

static bool folds(const struct time_account *row, uint64_t heaviest)
{
	return row->comm && time_account_weight(row) < heaviest / SMALL;
}

/* Returns the row before @end that @row is added to, or NULL. */
static struct time_account *find_fold(struct time_account *rows, size_t end,
				      const struct time_account *row,
				      uint64_t heaviest)
{
	int names = 0;

	for (size_t i = 0; i < end && names < MOST_NAMES; i++) {
		if (!rows[i].folded && !folds(&rows[i], heaviest))
			continue;
		if (rows[i].is_own == row->is_own &&
		    !strcmp(rows[i].comm, row->comm))
			return &rows[i];
		names++;
	}
	return NULL;
}

void time_accounts_fold(struct array *list)
{
	struct time_account *rows = list->items;
	uint64_t heaviest = 0;
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (time_account_weight(&rows[i]) > heaviest)
			heaviest = time_account_weight(&rows[i]);
	for (size_t i = 0; i < list->count; i++) {
		struct time_account *fold =
			folds(&rows[i], heaviest) ?
				find_fold(rows, kept, &rows[i], heaviest) :
				NULL;

		if (!fold) {
			rows[kept++] = rows[i];
			continue;
		}
		fold->folded = fold->folded ? fold->folded + 1 : 2;
		fold->interrupt_work_elsewhere +=
			rows[i].interrupt_work_elsewhere;
		fold->kernel_work_elsewhere += rows[i].kernel_work_elsewhere;
		add_to(fold, &rows[i]);
	}
	list->count = kept;
}
