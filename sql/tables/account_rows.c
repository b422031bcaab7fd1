/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "common/array.h"
#include "sql/rows/row_out.h"
#include "sql/tables/interrupt_rows_internal.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "tables/processes/processes_table.h"
#include "tables/processes/time_account.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <stdbool.h>
#include <stdlib.h>

/* The inputs of the rows of threads and processes. */
struct account_columns {
	const struct attribution_input *input; /* both borrowed */
	const struct row_choice *choice;
	bool by_thread; /* rows of "thread" instead of "process" */
};

/* The columns of both tables, then those of one. */
enum {
	COLUMN_PID,
	COLUMN_COMM,
	COLUMN_WALL,
	COLUMN_USER,
	COLUMN_SYSTEM_CALL,
	COLUMN_FAULT,
	COLUMN_KERNEL,
	COLUMN_BENEFITED,
	COLUMN_STOLEN,
	COLUMN_TRACER,
	COLUMN_GUEST,
	COLUMN_RUNNABLE,
	COLUMN_ASLEEP,
	COLUMN_NOT_ASKED,
	COLUMN_UNKNOWN,
	COLUMN_SWITCHES,
	COLUMN_SYSTEM_CALLS,
	COLUMN_FAULTS,
	COLUMN_UNCERTAIN,
	COLUMN_IS_RECORDER,
	COLUMN_SINCE,
	COLUMN_UNTIL,
	COLUMN_TID,
	THREAD_COLUMNS,
	COLUMN_THREADS = COLUMN_TID,
	COLUMN_INTERRUPT_ELSEWHERE,
	COLUMN_KERNEL_ELSEWHERE,
	PROCESS_COLUMNS,
};

#define COMMON_COLUMNS \
	[COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "", "process" }, \
	[COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "", "its last name" }, \
	[COLUMN_WALL] = { "wall_ns", SQL_INTEGER, ROLE_NONE, "ns", \
			  "its time: the sum of the next twelve columns" }, \
	[COLUMN_USER] = { "user_ns", SQL_INTEGER, ROLE_NONE, "ns", \
			  "in user space" }, \
	[COLUMN_SYSTEM_CALL] = { "system_call_ns", SQL_INTEGER, ROLE_NONE, \
				 "ns", "on a CPU in system calls" }, \
	[COLUMN_FAULT] = { "fault_ns", SQL_INTEGER, ROLE_NONE, "ns", \
			   "on a CPU in page faults and exceptions" }, \
	[COLUMN_KERNEL] = { "kernel_ns", SQL_INTEGER, ROLE_NONE, "ns", \
			    "on a CPU in other work of the kernel" }, \
	[COLUMN_BENEFITED] = { "interrupt_benefited_ns", SQL_INTEGER, \
			       ROLE_NONE, "ns", \
			       "in interrupts for its own process; NULL if " \
			       "not recorded" }, \
	[COLUMN_STOLEN] = { "interrupt_stolen_ns", SQL_INTEGER, ROLE_NONE, \
			    "ns", "in all other interrupts" }, \
	[COLUMN_TRACER] = { "tracer_ns", SQL_INTEGER, ROLE_NONE, "ns", \
			    "in the functions of the tracer" }, \
	[COLUMN_GUEST] = { "guest_ns", SQL_INTEGER, ROLE_NONE, "ns", \
			   "in a virtual machine, as one of its CPUs" }, \
	[COLUMN_RUNNABLE] = { "runnable_ns", SQL_INTEGER, ROLE_NONE, "ns", \
			      "waiting for a CPU, also because its cgroup " \
			      "was throttled; NULL if not recorded" }, \
	[COLUMN_ASLEEP] = { "asleep_ns", SQL_INTEGER, ROLE_NONE, "ns", \
			    "asleep; NULL if not recorded" }, \
	[COLUMN_NOT_ASKED] = { "not_asked_ns", SQL_INTEGER, ROLE_NONE, "ns", \
			       "on CPUs outside the calls selected by record " \
			       "--only" }, \
	[COLUMN_UNKNOWN] = { "unknown_ns", SQL_INTEGER, ROLE_NONE, "ns", \
			     "not in the trace" }, \
	[COLUMN_SWITCHES] = { "context_switches", SQL_INTEGER, ROLE_NONE, "", \
			      "how often it left a CPU" }, \
	[COLUMN_SYSTEM_CALLS] = { "system_calls", SQL_INTEGER, ROLE_NONE, "", \
				  "number of system calls that started" }, \
	[COLUMN_FAULTS] = { "faults", SQL_INTEGER, ROLE_NONE, "", \
			    "number of page faults and exceptions that " \
			    "started" }, \
	[COLUMN_UNCERTAIN] = { "uncertain_ns", SQL_INTEGER, ROLE_NONE, "ns", \
			       "error bound of each class" }, \
	[COLUMN_IS_RECORDER] = { "is_recorder", SQL_INTEGER, ROLE_NONE, "", \
				 "1: part of the recorder, omitted from the " \
				 "report" }, \
	SUM_WINDOW_COLUMNS(COLUMN_SINCE, COLUMN_UNTIL)

static const struct sql_column thread_columns[THREAD_COLUMNS] = {
	COMMON_COLUMNS,
	[COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "thread" },
};

static const struct sql_column process_columns[PROCESS_COLUMNS] = {
	COMMON_COLUMNS,
	[COLUMN_THREADS] = { "threads", SQL_INTEGER, ROLE_NONE, "",
			     "number of its threads in the recording" },
	[COLUMN_INTERRUPT_ELSEWHERE] = { "interrupt_elsewhere_ns", SQL_INTEGER,
					 ROLE_NONE, "ns",
					 "interrupt time charged to this "
					 "process that ran in other processes "
					 "or on idle CPUs; NULL if not "
					 "recorded" },
	[COLUMN_KERNEL_ELSEWHERE] = { "kernel_elsewhere_ns", SQL_INTEGER,
				      ROLE_NONE, "ns",
				      "kernel threads' time charged to this "
				      "process; NULL if not recorded" },
};

#define OF_KERNEL \
	(SQL_COLUMN(COLUMN_SYSTEM_CALL) | SQL_COLUMN(COLUMN_FAULT) | \
	 SQL_COLUMN(COLUMN_KERNEL) | SQL_COLUMN(COLUMN_BENEFITED) | \
	 SQL_COLUMN(COLUMN_STOLEN) | SQL_COLUMN(COLUMN_TRACER) | \
	 SQL_COLUMN(COLUMN_SYSTEM_CALLS) | SQL_COLUMN(COLUMN_FAULTS))
#define ELSEWHERE \
	(SQL_COLUMN(COLUMN_INTERRUPT_ELSEWHERE) | \
	 SQL_COLUMN(COLUMN_KERNEL_ELSEWHERE))

/* The events that the columns of both tables need; @owned: the needs of columns
 * with work's beneficiaries.
 */
#define NEEDS(owned) \
	{ OF_KERNEL, NULL, RECORDED_KERNEL, 0 }, \
		{ SQL_COLUMN(COLUMN_USER), NULL, RECORDED_FUNCTIONS, 0 }, \
		{ SQL_COLUMN(COLUMN_RUNNABLE), NULL, EVENT_SCHED_SWITCH, \
		  EVENT_SCHED_WAKING }, \
		{ SQL_COLUMN(COLUMN_ASLEEP), NULL, EVENT_SCHED_WAKING, 0 }, \
		{ owned, NULL, EVENT_HRTIMER_EXPIRE, 0 }, \
	{ \
		owned, NULL, EVENT_WORK_BEGIN, 0 \
	}

static const struct sql_need thread_needs[] = {
	NEEDS(SQL_COLUMN(COLUMN_BENEFITED)),
};

static const struct sql_need process_needs[] = {
	NEEDS(SQL_COLUMN(COLUMN_BENEFITED) | ELSEWHERE),
};

const struct sql_table sql_thread_table = {
	.id = TABLE_THREAD,
	.name = "thread",
	.meaning = "The time of each thread by class, as in report --threads.",
	.columns = thread_columns,
	.column_count = THREAD_COLUMNS,
	.rows_per_mb = 1,
	.source = &account_source,
	.needs = thread_needs,
	.need_count = sizeof(thread_needs) / sizeof(*thread_needs),
};

const struct sql_table sql_process_table = {
	.id = TABLE_PROCESS,
	.name = "process",
	.meaning =
		"The time of each process by class, as in report --processes.",
	.columns = process_columns,
	.column_count = PROCESS_COLUMNS,
	.rows_per_mb = 1,
	.source = &account_source,
	.needs = process_needs,
	.need_count = sizeof(process_needs) / sizeof(*process_needs),
};

static struct account_columns
account_columns_of(const struct attribution_input *input,
		   const struct row_choice *choice, bool by_thread)
{
	return (struct account_columns){
		.input = input,
		.choice = choice,
		.by_thread = by_thread,
	};
}

static void fill_classes(union sql_cell *cells,
			 const struct time_account *account)
{
	const uint64_t *class_ns = account->class_ns;

	cells[COLUMN_WALL].number = (int64_t)account->wall_ns;
	cells[COLUMN_USER].number = (int64_t)class_ns[TIME_USER];
	cells[COLUMN_SYSTEM_CALL].number = (int64_t)class_ns[TIME_SYSTEM_CALL];
	cells[COLUMN_FAULT].number = (int64_t)class_ns[TIME_FAULT];
	cells[COLUMN_KERNEL].number = (int64_t)class_ns[TIME_KERNEL];
	cells[COLUMN_BENEFITED].number = (int64_t)account->benefited_ns;
	cells[COLUMN_STOLEN].number = (int64_t)account->stolen_ns;
	cells[COLUMN_TRACER].number = (int64_t)class_ns[TIME_TRACER];
	cells[COLUMN_GUEST].number = (int64_t)class_ns[TIME_GUEST];
	cells[COLUMN_RUNNABLE].number =
		(int64_t)(class_ns[TIME_RUNNABLE] + class_ns[TIME_THROTTLED]);
	cells[COLUMN_ASLEEP].number = (int64_t)class_ns[TIME_ASLEEP];
	cells[COLUMN_NOT_ASKED].number = (int64_t)class_ns[TIME_NOT_ASKED];
	cells[COLUMN_UNKNOWN].number = (int64_t)class_ns[TIME_UNKNOWN];
	cells[COLUMN_SWITCHES].number = (int64_t)account->context_switches;
	cells[COLUMN_SYSTEM_CALLS].number = (int64_t)account->system_calls;
	cells[COLUMN_FAULTS].number = (int64_t)account->faults;
	cells[COLUMN_UNCERTAIN].number = (int64_t)account->uncertain;
}

static void fill_own(const struct account_columns *columns,
		     union sql_cell *cells, const struct time_account *account)
{
	if (columns->by_thread) {
		cells[COLUMN_TID].number = account->tid;
		return;
	}
	cells[COLUMN_THREADS].number = (int64_t)account->threads;
	cells[COLUMN_INTERRUPT_ELSEWHERE].number =
		(int64_t)account->interrupt_work_elsewhere;
	cells[COLUMN_KERNEL_ELSEWHERE].number =
		(int64_t)account->kernel_work_elsewhere;
}

/* Adds a row to @out. */
static void account_columns_add(const struct account_columns *columns,
				struct row_out *out,
				const struct time_account *account)
{
	const struct time_window *sums = &columns->choice->sums;
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	cells[COLUMN_PID].number = account->pid;
	cells[COLUMN_COMM].text = account->comm;
	cells[COLUMN_IS_RECORDER].number =
		task_is_recorder(columns->input, account->tid);
	fill_classes(cells, account);
	fill_own(columns, cells, account);
	cells[COLUMN_SINCE].number = sum_window_bound(sums->since_ns);
	cells[COLUMN_UNTIL].number = sum_window_bound(sums->until_ns);
	row_out_end(out);
}

/* The sums of threads' and processes' time, and of interrupt work by
 * beneficiary, from one account.
 */
struct account_rows {
	struct row_source source;
	const struct attribution_input *recording;
	const struct row_choice *choice;
	struct time_accounts *accounts;
	struct row_out *processes; /* each of these three may be NULL */
	struct row_out *threads;
	struct row_out *interrupts;
};

static int add_accounts(const struct account_rows *rows, struct row_out *out,
			const struct array *accounts, bool by_thread)
{
	const struct account_columns columns =
		account_columns_of(rows->recording, rows->choice, by_thread);

	for (size_t i = 0; i < accounts->count; i++)
		account_columns_add(&columns, out, array_at(accounts, i));
	return row_out_flush(out);
}

static int add_processes(const struct account_rows *rows,
			 const struct array *threads)
{
	struct array processes = ARRAY_OF(struct time_account);
	int status = process_accounts_add(threads, rows->recording->names, NULL,
					  time_accounts_sums(rows->accounts),
					  &processes);

	if (!status)
		status = add_accounts(rows, rows->processes, &processes, false);
	array_free(&processes);
	return status;
}

static int add_interrupts(const struct account_rows *rows)
{
	const struct interrupt_rows *sums = interrupt_accounts_rows(
		time_accounts_interrupts(rows->accounts));
	const struct interrupt_row *row;

	for (size_t i = 0; (row = interrupt_rows_at(sums, i)); i++)
		interrupt_columns_add(rows->recording, rows->choice,
				      rows->interrupts, row);
	return row_out_flush(rows->interrupts);
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct account_rows *rows = (struct account_rows *)source;
	struct array threads = ARRAY_OF(struct time_account);
	int status = time_accounts_end(rows->accounts);

	(void)stacks;
	(void)is_early;
	if (!status)
		status = time_accounts_threads(rows->accounts, &threads);
	if (!status && rows->threads)
		status = add_accounts(rows, rows->threads, &threads, true);
	if (!status && rows->processes)
		status = add_processes(rows, &threads);
	if (!status && rows->interrupts)
		status = add_interrupts(rows);
	array_free(&threads);
	return status;
}

static void close_rows(struct row_source *source)
{
	struct account_rows *rows = (struct account_rows *)source;

	time_accounts_free(rows->accounts);
	free(rows);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct account_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->source = (struct row_source){
		.end = end,
		.close = close_rows,
	};
	rows->recording = input->recording;
	rows->choice = input->choice;
	rows->processes = input->outs[TABLE_PROCESS];
	rows->threads = input->outs[TABLE_THREAD];
	rows->interrupts = input->outs[TABLE_INTERRUPT];
	rows->accounts = time_accounts_new(input->recording, true);
	if (!rows->accounts) {
		close_rows(&rows->source);
		return NULL;
	}
	return &rows->source;
}

const struct row_source_class account_source = {
	.needs_time = true,
	.open = open_rows,
};
