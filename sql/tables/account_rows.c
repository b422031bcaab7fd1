/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "report/text/task_names.h"
#include "sql/rows/row_out.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "tables/processes/interrupts_table.h"
#include "tables/processes/time_account.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Columns that several tables share: the kind of interrupt work, the
 * interrupted thread, and the beneficiary.
 */
#define INTERRUPT_WHO_COLUMNS \
	TEXT_COLUMN("kind", \
		    "interrupt, ipi, nmi, softirq, napi, timer, hrtimer, " \
		    "tasklet, rcu, work_item, threaded_handler, reclaim"), \
		TEXT_COLUMN("function", "the handler, action or callback", \
			    .role = ROLE_FUNCTION), \
		INT_COLUMN("irq", "interrupt number; NULL if none is known"), \
		INT_COLUMN("is_thread_work", \
			   "1: not an interrupt but the purpose of a kernel " \
			   "thread, such as a work item"), \
		INT_COLUMN("on_pid", \
			   "process on whose time the work ran; 0: idle " \
			   "CPU"), \
		INT_COLUMN("on_tid", "its thread"), \
		TEXT_COLUMN("on_comm", "last name of that process, or idle"), \
		INT_COLUMN("for_pid", \
			   "beneficiary: process that the work is charged " \
			   "to; 0: the system as a whole; NULL: no known " \
			   "beneficiary"), \
		TEXT_COLUMN("for_comm", \
			    "last name of the beneficiary, system or nobody")

/* The events that these columns need. */
static const struct sql_need who_needs[] = {
	{ .event = RECORDED_KERNEL },
	{ "irq", NULL, EVENT_IRQ_ENTRY, 0 },
	{ "for_pid for_comm", "soft interrupts", EVENT_SOFTIRQ_RAISE, 0 },
	{ "for_pid for_comm", "interrupts that wake", EVENT_SCHED_WAKING, 0 },
	{ "for_pid for_comm", "timers", EVENT_HRTIMER_EXPIRE, 0 },
	{ "for_pid for_comm", "work items", EVENT_WORK_BEGIN, 0 },
	{ "for_pid for_comm", "disks", EVENT_BIO_QUEUE, 0 },
	{ "for_pid for_comm", "packets", EVENT_NET_RECEIVE, 0 },
};

static const char *owner_name(const struct task_names *names, int32_t pid)
{
	if (pid < 0)
		return "nobody";
	return pid ? task_names_last(names, pid) : "system";
}

/* Puts INTERRUPT_WHO_COLUMNS for the work of @row. @pid is the beneficiary as
 * in interrupt_row.pid: 0 is the system, a negative number nobody.
 */
static void put_who(const struct attribution_input *input, struct row_out *out,
		    const struct interrupt_row *row, int32_t pid)
{
	row_put_text(out, interrupt_kind_name(row->kind));
	row_put_function(out, input, true, row->function);
	row_put_known(out, row->irq >= 0, row->irq);
	row_put_number(out, row->is_thread_work);
	row_put_number(out, row->victim_pid);
	row_put_number(out, row->victim_tid);
	row_put_text(out, row->victim_pid ? task_names_last(input->names,
							    row->victim_pid) :
					    "idle");
	row_put_known(out, pid >= 0, pid);
	row_put_text(out, owner_name(input->names, pid));
}

#define OF_ROW(member) MEMBER(struct interrupt_row, member)

static const struct column interrupt_columns[] = {
	INTERRUPT_WHO_COLUMNS,
	REAL_COLUMN("count",
		    "number of slices of work; a slice with several "
		    "beneficiaries counts for each by its share",
		    OF_ROW(count)),
	NS_COLUMN("total_ns", "time, without nested interrupts",
		  OF_ROW(total_ns)),
	NS_COLUMN("max_ns", "longest slice, or largest share of one slice",
		  OF_ROW(max_ns)),
	NS_COLUMN("exact_ns", "part of total_ns with an exact beneficiary",
		  OF_ROW(certain_ns[CERTAIN_EXACT])),
	NS_COLUMN("inferred_ns",
		  "part of total_ns with an inferred beneficiary",
		  OF_ROW(certain_ns[CERTAIN_INFERRED])),
	NS_COLUMN("nobody_ns", "part of total_ns without a known beneficiary",
		  OF_ROW(certain_ns[CERTAIN_NOBODY])),
	SUM_WINDOW_COLUMNS,
};

const struct sql_table sql_interrupt_table = {
	.id = TABLE_INTERRUPT,
	.name = "interrupt",
	.meaning = "Sums of interrupt work and deferred work, by kind, "
		   "interrupted process and beneficiary, as in report "
		   "--interrupts.",
	COLUMN_LIST(interrupt_columns),
	.rows_per_mb = 5,
	.source = &account_source,
	SQL_NEEDS(who_needs),
};

/* Adds @row to @out as a row of the table "interrupt", if @out wants it. The
 * source of accounts (account_rows.c) calls this after the pass. @choice has
 * the window of the sums, which are columns too. Errors are kept in @out.
 */
static void interrupt_columns_add(const struct attribution_input *input,
				  const struct row_choice *choice,
				  struct row_out *out,
				  const struct interrupt_row *row)
{
	if (!row_out_start(out, row))
		return;
	put_who(input, out, row, row->pid);
	sum_window_put(out, &choice->sums);
	row_out_end(out);
}

/* Each interrupt, soft interrupt and piece of deferred work; report
 * --interrupts adds them up.
 */
struct slice_rows {
	struct row_source source;
	struct charge_callback callback;
	const struct attribution_input *recording;
	struct row_out *out;
};

#define OF_CHARGE(member) MEMBER(struct interrupt_charge, member)

static const struct column slice_columns[] = {
	INT_COLUMN("id",
		   "number of the slice; a slice with several beneficiaries "
		   "has a row for each",
		   OF_CHARGE(span.serial)),
	INT_COLUMN("part_of",
		   "id of the enclosing slice, such as the timer interrupt "
		   "of a timer; NULL: none"),
	NS_COLUMN("begin_ns", "start", .role = ROLE_BEGIN,
		  OF_CHARGE(span.begin_ns)),
	NS_COLUMN("end_ns",
		  "end; if it ended in a switch to another thread, after "
		  "the switch back",
		  .role = ROLE_END, OF_CHARGE(span.end_ns)),
	INT_COLUMN("cpu", "CPU on which it ran", .role = ROLE_CPU,
		   OF_CHARGE(span.cpu)),
	INTERRUPT_WHO_COLUMNS,
	REAL_COLUMN("share",
		    "this beneficiary's share of the slice: 1 if it is the "
		    "only one",
		    OF_CHARGE(count)),
	NS_COLUMN("own_ns",
		  "this beneficiary's part of the slice's own time, which "
		  "excludes nested slices and the tracer",
		  OF_CHARGE(ns)),
	TEXT_COLUMN("certainty",
		    "certainty of the beneficiary: exact, inferred or nobody "
		    "(unknown)"),
};

static const char *certainty_name(uint8_t certainty)
{
	static const char *const names[CERTAINTIES] = {
		[CERTAIN_EXACT] = "exact",
		[CERTAIN_INFERRED] = "inferred",
		[CERTAIN_NOBODY] = "nobody",
	};

	return names[certainty];
}

static void consume(struct charge_callback *callback,
		    const struct interrupt_row *work, int32_t pid,
		    const struct interrupt_charge *charge)
{
	const struct slice_rows *rows =
		container_of(callback, struct slice_rows, callback);
	struct row_out *out = rows->out;
	uint64_t outer = charge->span.outer;

	if (!row_out_start(out, charge))
		return;
	row_put_known(out, outer, (int64_t)outer);
	put_who(rows->recording, out, work, pid);
	row_put_text(out, certainty_name(charge->certainty));
	row_out_end(out);
}

static bool open_slices(struct row_source *source,
			const struct row_source_input *input)
{
	struct slice_rows *rows = (struct slice_rows *)source;
	struct interrupt_accounts *accounts;

	source->needs_begin = true;
	rows->callback.consume = consume;
	rows->recording = input->recording;
	rows->out = input->outs[TABLE_INTERRUPT_SLICE];
	accounts = trackers_interrupts(input->recording->trackers);
	if (!accounts)
		return false;
	interrupt_rows_listen(interrupt_accounts_rows(accounts),
			      &rows->callback);
	return true;
}

const struct row_source_class slice_source = {
	.needs_time = true,
	.size = sizeof(struct slice_rows),
	.open = open_slices,
};

const struct sql_table sql_interrupt_slice_table = {
	.id = TABLE_INTERRUPT_SLICE,
	.name = "interrupt_slice",
	.meaning =
		"All interrupts, soft interrupts and items of deferred work, "
		"in the order in which their beneficiaries become known; the "
		"table interrupt adds them up.",
	COLUMN_LIST(slice_columns),
	.rows_per_mb = 200,
	.records = &interrupt_records,
	.source = &slice_source,
	SQL_NEEDS(who_needs),
};

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
