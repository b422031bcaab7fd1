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

#define OF_ACCOUNT(member) MEMBER(struct time_account, member)

#define COMMON_COLUMNS \
	INT_COLUMN("pid", "process", .role = ROLE_PID, OF_ACCOUNT(pid)), \
		TEXT_COLUMN("comm", "its last name", OF_ACCOUNT(comm)), \
		NS_COLUMN("wall_ns", \
			  "its time: the sum of the next thirteen columns", \
			  OF_ACCOUNT(wall_ns)), \
		NS_COLUMN("user_ns", "in user space", \
			  OF_ACCOUNT(class_ns[TIME_USER])), \
		NS_COLUMN("system_call_ns", "on a CPU in system calls", \
			  OF_ACCOUNT(class_ns[TIME_SYSTEM_CALL])), \
		NS_COLUMN("fault_ns", \
			  "on a CPU in page faults and exceptions", \
			  OF_ACCOUNT(class_ns[TIME_FAULT])), \
		NS_COLUMN("reclaim_ns", \
			  "on a CPU in direct reclaim and compaction of " \
			  "memory, in calls and faults, too", \
			  OF_ACCOUNT(class_ns[TIME_RECLAIM])), \
		NS_COLUMN("kernel_ns", "on a CPU in other work of the kernel", \
			  OF_ACCOUNT(class_ns[TIME_KERNEL])), \
		NS_COLUMN( \
			"interrupt_benefited_ns", \
			"in interrupts for its own process; NULL if not recorded", \
			OF_ACCOUNT(benefited_ns)), \
		NS_COLUMN("interrupt_stolen_ns", "in all other interrupts", \
			  OF_ACCOUNT(stolen_ns)), \
		NS_COLUMN("tracer_ns", "in the functions of the tracer", \
			  OF_ACCOUNT(class_ns[TIME_TRACER])), \
		NS_COLUMN("guest_ns", \
			  "in a virtual machine, as one of its CPUs", \
			  OF_ACCOUNT(class_ns[TIME_GUEST])), \
		NS_COLUMN("runnable_ns", \
			  "waiting for a CPU, also because its cgroup was " \
			  "throttled; NULL if not recorded"), \
		NS_COLUMN("asleep_ns", "asleep; NULL if not recorded", \
			  OF_ACCOUNT(class_ns[TIME_ASLEEP])), \
		NS_COLUMN( \
			"not_asked_ns", \
			"on CPUs outside the calls selected by record --only", \
			OF_ACCOUNT(class_ns[TIME_NOT_ASKED])), \
		NS_COLUMN("unknown_ns", "not in the trace", \
			  OF_ACCOUNT(class_ns[TIME_UNKNOWN])), \
		INT_COLUMN("context_switches", "how often it left a CPU", \
			   OF_ACCOUNT(context_switches)), \
		INT_COLUMN("system_calls", \
			   "number of system calls that started", \
			   OF_ACCOUNT(system_calls)), \
		INT_COLUMN( \
			"faults", \
			"number of page faults and exceptions that started", \
			OF_ACCOUNT(faults)), \
		NS_COLUMN("uncertain_ns", "error bound of each class", \
			  OF_ACCOUNT(uncertain)), \
		INT_COLUMN( \
			"is_recorder", \
			"1: part of the recorder, omitted from the report"), \
		SUM_WINDOW_COLUMNS

static const struct column thread_columns[] = {
	COMMON_COLUMNS,
	INT_COLUMN("tid", "thread", .role = ROLE_TID, OF_ACCOUNT(tid)),
};

static const struct column process_columns[] = {
	COMMON_COLUMNS,
	INT_COLUMN("threads", "number of its threads in the recording",
		   OF_ACCOUNT(threads)),
	NS_COLUMN("interrupt_elsewhere_ns",
		  "interrupt time charged to this process that ran in other "
		  "processes or on idle CPUs; NULL if not recorded",
		  OF_ACCOUNT(interrupt_work_elsewhere)),
	NS_COLUMN("kernel_elsewhere_ns",
		  "kernel threads' time charged to this process; NULL if not "
		  "recorded",
		  OF_ACCOUNT(kernel_work_elsewhere)),
};

/* The events that the columns of both tables need; @owned: the columns with the
 * beneficiaries of interrupt work.
 */
#define NEEDS(owned) \
	{ "system_call_ns fault_ns kernel_ns interrupt_benefited_ns " \
	  "interrupt_stolen_ns tracer_ns system_calls faults", \
	  NULL, RECORDED_KERNEL, 0 }, \
		{ "user_ns", NULL, RECORDED_FUNCTIONS, 0 }, \
		{ "runnable_ns", NULL, EVENT_SCHED_SWITCH, \
		  EVENT_SCHED_WAKING }, \
		{ "asleep_ns", NULL, EVENT_SCHED_WAKING, 0 }, \
		{ owned, NULL, EVENT_HRTIMER_EXPIRE, 0 }, \
	{ \
		owned, NULL, EVENT_WORK_BEGIN, 0 \
	}

static const struct sql_need thread_needs[] = {
	NEEDS("interrupt_benefited_ns"),
};

static const struct sql_need process_needs[] = {
	NEEDS("interrupt_benefited_ns interrupt_elsewhere_ns "
	      "kernel_elsewhere_ns"),
};

const struct sql_table sql_thread_table = {
	.id = TABLE_THREAD,
	.name = "thread",
	.meaning = "The time of each thread by class, as in report --threads.",
	COLUMN_LIST(thread_columns),
	.rows_per_mb = 1,
	.source = &account_source,
	SQL_NEEDS(thread_needs),
};

const struct sql_table sql_process_table = {
	.id = TABLE_PROCESS,
	.name = "process",
	.meaning =
		"The time of each process by class, as in report --processes.",
	COLUMN_LIST(process_columns),
	.rows_per_mb = 1,
	.source = &account_source,
	SQL_NEEDS(process_needs),
};

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

static void add(const struct account_rows *rows, struct row_out *out,
		const struct time_account *account)
{
	const uint64_t *class_ns = account->class_ns;

	if (!row_out_start(out, account))
		return;
	row_put_number(out, (int64_t)(class_ns[TIME_RUNNABLE] +
				      class_ns[TIME_THROTTLED]));
	row_put_number(out, task_is_recorder(rows->recording, account->tid));
	sum_window_put(out, &rows->choice->sums);
	row_out_end(out);
}

static void add_accounts(const struct account_rows *rows, struct row_out *out,
			 const struct array *accounts)
{
	for (size_t i = 0; i < accounts->count; i++)
		add(rows, out, array_at(accounts, i));
}

static int add_processes(const struct account_rows *rows,
			 const struct array *threads)
{
	struct array processes = ARRAY_OF(struct time_account);
	int status = process_accounts_add(threads, rows->recording->names, NULL,
					  time_accounts_sums(rows->accounts),
					  &processes);

	if (!status)
		add_accounts(rows, rows->processes, &processes);
	array_free(&processes);
	return status;
}

static void add_interrupts(const struct account_rows *rows)
{
	const struct interrupt_rows *sums = interrupt_accounts_rows(
		time_accounts_interrupts(rows->accounts));
	const struct interrupt_row *row;

	for (size_t i = 0; (row = interrupt_rows_at(sums, i)); i++)
		interrupt_columns_add(rows->recording, rows->choice,
				      rows->interrupts, row);
}

static int end(struct row_source *source, const struct row_end *pass)
{
	struct account_rows *rows = (struct account_rows *)source;
	struct array threads = ARRAY_OF(struct time_account);
	int status = time_accounts_end(rows->accounts);

	(void)pass;
	if (!status)
		status = time_accounts_threads(rows->accounts, &threads);
	if (!status && rows->threads)
		add_accounts(rows, rows->threads, &threads);
	if (!status && rows->processes)
		status = add_processes(rows, &threads);
	if (!status && rows->interrupts)
		add_interrupts(rows);
	array_free(&threads);
	return status;
}

static void close_rows(struct row_source *source)
{
	struct account_rows *rows = (struct account_rows *)source;

	time_accounts_free(rows->accounts);
}

static bool open_rows(struct row_source *source,
		      const struct row_source_input *input)
{
	struct account_rows *rows = (struct account_rows *)source;

	rows->recording = input->recording;
	rows->choice = input->choice;
	rows->processes = input->outs[TABLE_PROCESS];
	rows->threads = input->outs[TABLE_THREAD];
	rows->interrupts = input->outs[TABLE_INTERRUPT];
	rows->accounts = time_accounts_new(input->recording, true);
	return rows->accounts;
}

const struct row_source_class account_source = {
	.needs_time = true,
	.size = sizeof(struct account_rows),
	.open = open_rows,
	.end = end,
	.close = close_rows,
};
