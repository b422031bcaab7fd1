/* SPDX-License-Identifier: MIT */
#include "tables/processes/processes_table_internal.h"

#include "attribution/events/event_handler.h"
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/table_records.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "decoder/recording/recording.h"
#include "report/steps/task_choice.h"
#include "report/text/record_writer.h"
#include "tables/overview.h"
#include "tables/processes/time_account.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum column_need {
	NEEDS_NOTHING,
	NEEDS_KERNEL,
	NEEDS_SWITCHES,
	NEEDS_WAKEUPS,
	NEEDS_ALL,
	NEEDS,
};

/* The events that columns need, as in struct table_need. */
static const int events[NEEDS] = {
	[NEEDS_KERNEL] = RECORDED_KERNEL,
	[NEEDS_SWITCHES] = EVENT_SCHED_SWITCH,
	[NEEDS_WAKEUPS] = EVENT_SCHED_WAKING,
};

/* Context while one of the two tables is written. */
struct sheet {
	const struct attribution_input *input;
	struct time_columns columns;
	struct recorded recorded;
	struct array rows; /* struct time_account */
	uint64_t *order;   /* indices of rows */
	bool folds;	   /* one row for small processes of one name */
	bool knows[NEEDS];
	bool has_processes; /* columns that threads lack */
	bool has_threads;
	bool sums_threads; /* wall_ns is the sum over a process's threads */
};

static void write_id(struct record_writer *writer, const struct column *column,
		     const struct column_row *row)
{
	const struct time_account *account = row->fact;
	const int32_t *id =
		(const void *)((const char *)account + column->offset);

	if (account->folded)
		record_absent(writer, column->name);
	else
		record_signed(writer, column->name, *id);
}

/* Writes "bash (25 processes)" for a row of several. */
static void write_comm(struct record_writer *writer,
		       const struct column *column,
		       const struct column_row *row)
{
	const struct time_account *account = row->fact;
	char text[64];

	if (account->folded)
		snprintf(text, sizeof(text), "%s (%" PRIu64 " processes)",
			 account->comm, account->folded);
	record_text(writer, column->name,
		    account->folded ? text : account->comm);
}

/* Writes wall_ns. The text format calls the sum over a process's threads thread
 * time, since it may exceed the wall time of the process.
 */
static void write_wall(struct record_writer *writer,
		       const struct column *column,
		       const struct column_row *row)
{
	const struct sheet *sheet = row->state;
	const struct time_account *account = row->fact;

	record_duration(writer,
			sheet->sums_threads ? "thread_time_ns" : column->name,
			account->wall_ns);
}

/* Writes a time whose name does not end with its unit. */
static void write_time(struct record_writer *writer,
		       const struct column *column,
		       const struct column_row *row)
{
	const uint64_t *time_ns =
		(const void *)((const char *)row->fact + column->offset);

	record_duration(writer, column->name, *time_ns);
}

/* Writes the reasons for unknown time in ns: "gap 1200, off 30". */
static bool print_reasons(FILE *out, const void *row_)
{
	const struct column_row *row = row_;
	const struct time_account *account = row->fact;
	const char *comma = "";

	for (int i = 0; i < UNKNOWN_REASONS; i++)
		if (account->unknown_ns[i]) {
			fprintf(out, "%s%s %" PRIu64, comma,
				unknown_reason_name((enum unknown_reason)i),
				account->unknown_ns[i]);
			comma = ", ";
		}
	return true;
}

#define OF(member) MEMBER(struct time_account, member)
#define OF_CLASS(time_class) OF(class_ns[time_class])
#define OF_TIME(member) WRITTEN_OF(write_time, struct time_account, member)
#define NEEDING(need) KNOWN_BY(struct sheet, knows[need])
#define OF_PROCESSES SHOWN_BY(struct sheet, has_processes)

#define OF_ID(member) WRITTEN_OF(write_id, struct time_account, member)
#define PROCESS_ID \
	GROUP_COLUMN(struct time_account, pid), \
		PID_COLUMN(OF_ID(pid), .rows = COLUMN_OF_TASKS)
#define THREAD_ID \
	TID_COLUMN(OF_ID(tid), SHOWN_BY(struct sheet, has_threads), \
		   .rows = COLUMN_OF_TASKS)
#define NAME COMM_COLUMN(WRITTEN(write_comm), .rows = COLUMN_OF_TASKS)

/* The largest classes are first, so that a narrow terminal shows them. */
#define CLASS_COLUMNS(wall) \
	INT_COLUMN("threads", "number of threads", OF(threads), OF_PROCESSES), \
		NS_COLUMN("wall_ns", wall, WRITTEN(write_wall)), \
		USER_COLUMN(OF_CLASS(TIME_USER)), \
		NS_COLUMN("system_call_ns", \
			  "in the kernel for a system call, on a CPU", \
			  OF_CLASS(TIME_SYSTEM_CALL), NEEDING(NEEDS_KERNEL)), \
		NS_COLUMN("fault_ns", \
			  "in the kernel for page faults, on a CPU", \
			  OF_CLASS(TIME_FAULT), NEEDING(NEEDS_KERNEL)), \
		NS_COLUMN("reclaim_ns", \
			  "frees memory that it needs, in calls and faults " \
			  "too, on a CPU", \
			  OF_CLASS(TIME_RECLAIM), NEEDING(NEEDS_KERNEL)), \
		KERNEL_COLUMN(OF_CLASS(TIME_KERNEL), NEEDING(NEEDS_KERNEL)), \
		RUNNABLE_COLUMN(OF_CLASS(TIME_RUNNABLE), \
				NEEDING(NEEDS_SWITCHES)), \
		THROTTLED_COLUMN(OF_CLASS(TIME_THROTTLED), \
				 NEEDING(NEEDS_SWITCHES)), \
		ASLEEP_COLUMN(OF_CLASS(TIME_ASLEEP), NEEDING(NEEDS_WAKEUPS)), \
		NS_COLUMN("interrupt_benefited_ns", \
			  "work of interrupts that interrupted this " \
			  "process, for itself", \
			  OF(benefited_ns), NEEDING(NEEDS_ALL)), \
		NS_COLUMN("interrupt_stolen_ns", \
			  "work of interrupts that interrupted this " \
			  "process, for others", \
			  OF(stolen_ns), NEEDING(NEEDS_KERNEL)), \
		TRACER_COLUMN(OF_CLASS(TIME_TRACER), NEEDING(NEEDS_KERNEL)), \
		GUEST_COLUMN(OF_CLASS(TIME_GUEST)), \
		NS_COLUMN("not_asked_ns", \
			  "outside the calls that record --only chose", \
			  OF_CLASS(TIME_NOT_ASKED)), \
		UNKNOWN_COLUMN(OF_CLASS(TIME_UNKNOWN))

#define REST_COLUMNS \
	INT_COLUMN("context_switches", "how often a thread left its CPU", \
		   OF(context_switches)), \
		INT_COLUMN("system_calls", "number of system calls", \
			   OF(system_calls), NEEDING(NEEDS_KERNEL)), \
		FAULTS_COLUMN(OF(faults), NEEDING(NEEDS_KERNEL)), \
		NS_COLUMN("recorder_wait", \
			  "part of tracer: ready to run, while the recorder " \
			  "used the CPU", \
			  OF_TIME(recorder_wait), NEEDING(NEEDS_SWITCHES)), \
		NS_COLUMN("interrupt_work_elsewhere", \
			  "work of interrupts for this process while others " \
			  "ran, or none", \
			  OF_TIME(interrupt_work_elsewhere), \
			  NEEDING(NEEDS_ALL), OF_PROCESSES), \
		NS_COLUMN("kernel_work_elsewhere", \
			  "work of kernel threads for this process", \
			  OF_TIME(kernel_work_elsewhere), NEEDING(NEEDS_ALL), \
			  OF_PROCESSES), \
		TEXT_COLUMN("unknown_because", \
			    "reasons of unknown time, with the time of each", \
			    PRINTED(print_reasons)), \
		NS_COLUMN("uncertain", \
			  "time whose class is not certain, within bounds", \
			  OF_TIME(uncertain))

static const struct column process_columns[] = {
	PROCESS_ID,
	NAME,
	CLASS_COLUMNS("lives of all threads of the process, added up"),
	REST_COLUMNS,
	END_OF_COLUMNS,
};

static const struct column thread_columns[] = {
	PROCESS_ID,   THREAD_ID,
	NAME,	      CLASS_COLUMNS("time from its start to its end"),
	REST_COLUMNS, END_OF_COLUMNS,
};

/* The columns of the two tables of the text format. */
static const struct column class_columns[] = {
	PROCESS_ID, THREAD_ID, NAME, CLASS_COLUMNS(""), END_OF_COLUMNS,
};
static const struct column rest_columns[] = {
	PROCESS_ID, THREAD_ID, NAME, REST_COLUMNS, END_OF_COLUMNS,
};

static bool is_known(const struct time_columns *columns, enum column_need need)
{
	const struct off_cpu_evidence *evidence = &columns->evidence;

	switch (need) {
	case NEEDS_NOTHING:
		return true;
	case NEEDS_KERNEL:
		return !columns->lacks_kernel;
	case NEEDS_SWITCHES:
		return off_cpu_is_known(evidence);
	case NEEDS_WAKEUPS:
		return evidence->has_wakeups;
	case NEEDS_ALL:
		return columns->is_followed;
	case NEEDS:
		break;
	}
	return true;
}

/* Columns that are missing, by need. */
struct missing_columns {
	char names[NEEDS_WAKEUPS + 1][COLUMN_NAMES_BYTES];
	struct table_need needs[NEEDS_WAKEUPS + 2];
	size_t count;
};

/* Adds the columns that are missing because of @need. */
static void add_missing(struct missing_columns *all,
			const struct recorded *recorded, enum column_need need)
{
	char *names = all->names[need];
	const size_t size = sizeof(all->names[need]);
	const struct table_need missing = { .columns = names,
					    .event = events[need] };
	const uint32_t known_by = offsetof(struct sheet, knows) + need;
	size_t length = 0;

	for (const struct column *column = process_columns; column->name;
	     column++)
		if (column->known_by == known_by)
			length += (size_t)snprintf(names + length,
						   size - length, "%s%s",
						   length ? ", " : "",
						   column->name);
	if (!recorded_has(recorded, &missing))
		all->needs[all->count++] = missing;
}

void time_columns_explain(const struct time_columns *columns,
			  const struct recorded *recorded, FILE *out)
{
	static const struct table_need follows[] = {
		{ .columns = "beneficiaries of interrupts and kernel threads",
		  .event = EVENT_HRTIMER_EXPIRE },
		{ .columns = "beneficiaries of interrupts and kernel threads",
		  .event = EVENT_WORK_BEGIN },
	};

	struct missing_columns missing = { .count = 0 };

	for (int need = NEEDS_KERNEL; need <= NEEDS_WAKEUPS; need++)
		if (!is_known(columns, (enum column_need)need))
			add_missing(&missing, recorded, (enum column_need)need);
	if (!is_known(columns, NEEDS_ALL))
		missing.needs[missing.count++] =
			follows[recorded_has(recorded, &follows[0])];
	recorded_missing_all(recorded, missing.needs, missing.count, out);
	if (!columns->evidence.has_all_cpus)
		fputs("Time off the CPU is unknown: other CPUs, which were not "
		      "traced, may have run the threads; record without "
		      "--cpu\n",
		      out);
}

/* report --processes and --threads: the time of each process or thread by
 * class, and the recorded facts.
 */
struct processes {
	struct event_handler handler;
	const struct attribution_input *input;
	struct time_accounts *accounts;
	bool by_thread;
};

static void close_table(struct event_handler *handler)
{
	struct processes *processes = (struct processes *)handler;

	time_accounts_free(processes->accounts);
}

/* Returns whether to find the beneficiaries of interrupt work. Groups need
 * them: a group may have no threads, only time of other groups' threads.
 */
static bool has_credits(const struct attribution_input *input)
{
	return input->groups || time_accounts_follow(input->events);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input, bool by_thread)
{
	struct processes *processes = (struct processes *)handler;

	processes->input = input;
	processes->by_thread = by_thread;
	processes->accounts = time_accounts_new(input, has_credits(input));
	return processes->accounts;
}

static bool open_processes(struct event_handler *handler,
			   const struct attribution_input *input)
{
	return open_table(handler, input, false);
}

static bool open_threads(struct event_handler *handler,
			 const struct attribution_input *input)
{
	return open_table(handler, input, true);
}

/* Sorts the recorded command's rows first. */
static int compare_weight(const void *a, const void *b)
{
	const struct time_account *x = a;
	const struct time_account *y = b;

	if (x->is_own != y->is_own)
		return x->is_own ? -1 : 1;
	if (time_account_weight(x) != time_account_weight(y))
		return time_account_weight(x) > time_account_weight(y) ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void mark_own(const struct processes *processes, struct array *rows)
{
	const struct attribution_input *input = processes->input;
	struct time_account *accounts = rows->items;

	for (size_t i = 0; i < rows->count; i++)
		accounts[i].is_own = recorder_started(
			input->names, recording_info(input->recording)->command,
			accounts[i].pid);
}

static int fill(const struct processes *processes, struct sheet *sheet)
{
	struct array threads = ARRAY_OF(struct time_account);
	int status = time_accounts_threads(processes->accounts, &threads);

	if (!sheet->has_processes) {
		sheet->rows = threads;
	} else {
		if (!status)
			status = process_accounts_add(
				&threads, processes->input->names,
				processes->input->groups,
				time_accounts_sums(processes->accounts),
				&sheet->rows);
		array_free(&threads);
	}
	if (!processes->input->groups)
		mark_own(processes, &sheet->rows);
	array_sort(&sheet->rows, compare_weight);
	if (sheet->folds) {
		time_accounts_fold(&sheet->rows);
		array_sort(&sheet->rows, compare_weight);
	}
	return status;
}

/* Rows of a sheet in its order. */
struct ordered_rows {
	struct table_rows rows;
	const uint64_t *order;
};

static void write_ordered(struct record_writer *writer, const void *ctx,
			  uint64_t index)
{
	const struct ordered_rows *ordered = ctx;

	table_rows_write(writer, &ordered->rows, ordered->order[index]);
}

static struct table_rows rows_of(const struct sheet *sheet,
				 const struct column *columns)
{
	return (struct table_rows){ .state = sheet,
				    .columns = columns,
				    .input = sheet->input,
				    .facts = &sheet->rows };
}

static void write_part(const struct sheet *sheet,
		       const struct attribution_output *output,
		       const struct column *columns)
{
	const struct ordered_rows ordered = { rows_of(sheet, columns),
					      sheet->order };
	struct record_writer writer =
		record_writer_of(output->out, output->format);
	uint64_t count = sheet->rows.count;

	writer.shown = output->shown;
	writer.hides_zeros = output->is_brief && !output->is_verbose;
	record_writer_table(&writer, write_ordered, &ordered,
			    count < output->top ? count : output->top);
}

static void explain_folds(const struct sheet *sheet, FILE *out)
{
	const struct time_account *rows = sheet->rows.items;

	for (size_t i = 0; i < sheet->rows.count; i++)
		if (rows[i].folded) {
			fputs("a row without pid: several processes with "
			      "little time (-v: a row for each)\n",
			      out);
			return;
		}
}

/* Returns whether @columns has a column that is to be shown and that @others
 * lacks.
 */
static bool has_shown(const struct column *columns, const struct column *others,
		      const char *shown)
{
	for (; columns->name; columns++)
		if (!columns_have(others, columns->name) &&
		    (!shown || record_list_has(shown, columns->name)))
			return true;
	return false;
}

static int write_filled(struct sheet *sheet,
			const struct attribution_output *output)
{
	const struct column *columns = sheet->has_threads ? thread_columns :
							    process_columns;
	const struct table_rows rows = rows_of(sheet, columns);
	int status = table_rows_order(output, table_rows_write, &rows,
				      sheet->rows.count, &sheet->order);
	bool has_classes;
	bool has_rest;

	if (status < 0)
		return status;
	if (output->format != RECORD_TABLE) {
		write_part(sheet, output, columns);
		return 0;
	}
	sheet->sums_threads = sheet->has_processes;
	has_rest = has_shown(rest_columns, class_columns, output->shown);
	has_classes = !has_rest ||
		      has_shown(class_columns, rest_columns, output->shown);
	if (has_classes) {
		write_part(sheet, output, class_columns);
		time_columns_explain(&sheet->columns, &sheet->recorded,
				     output->out);
		explain_folds(sheet, output->out);
	}
	if (has_classes && has_rest)
		fputs("\n", output->out);
	if (has_rest)
		write_part(sheet, output, rest_columns);
	return 0;
}

static int write_sheet(const struct processes *processes,
		       const struct attribution_output *output, bool by_thread)
{
	bool is_grouped = processes->input->groups;
	struct sheet sheet = {
		.input = processes->input,
		.columns = {
			.evidence = off_cpu_evidence_of(
				processes->input->recording,
				processes->input->events),
			.is_followed = time_accounts_follow(
				processes->input->events),
		},
		.has_processes = is_grouped || !by_thread,
		.has_threads = by_thread,
		.recorded = recorded_of(processes->input->recording,
					processes->input->events),
		.rows = ARRAY_OF(struct time_account),
		.folds = output->format == RECORD_TABLE && !by_thread &&
			 !is_grouped && !output->is_verbose,
	};
	int status = fill(processes, &sheet);

	sheet.columns.lacks_kernel = !sheet.recorded.has_kernel;
	for (int need = 0; need < NEEDS; need++)
		sheet.knows[need] =
			is_known(&sheet.columns, (enum column_need)need);
	if (!status)
		status = write_filled(&sheet, output);
	array_free(&sheet.rows);
	free(sheet.order);
	return status;
}

static int write_json(const struct processes *processes,
		      const struct attribution_output *output)
{
	int status;

	fputs("{\n", output->out);
	overview_write_json(processes->input->recording, output->stacks,
			    output->out);
	fprintf(output->out,
		"\"%s\":", processes->input->groups ? "groups" : "processes");
	status = write_sheet(processes, output, false);
	if (!status && processes->by_thread && !processes->input->groups) {
		fputs(",\"threads\":", output->out);
		status = write_sheet(processes, output, true);
	}
	fputs("}\n", output->out);
	return status;
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	const struct processes *processes = (struct processes *)handler;
	int status = time_accounts_end(processes->accounts);

	if (status < 0)
		return status;
	if (output->format == RECORD_JSON)
		return write_json(processes, output);
	status = write_sheet(processes, output, processes->by_thread);
	if (!status && output->format == RECORD_TABLE)
		overview_write_text(processes->input->recording, output->stacks,
				    processes->input->origin_ns, output->out);
	return status;
}

const struct attribution_table processes_table = {
	.name = "processes",
	.columns = process_columns,
	.help = "where each process's time went (default)",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct processes),
	.open = open_processes,
	.render = render,
	.close = close_table,
	.records = &time_account_records,
	.owner = OWNER_AT(struct processes, accounts),
	.more_records = &interrupt_records,
	.are_needed = has_credits,
};

const struct attribution_table threads_table = {
	.name = "threads",
	.columns = thread_columns,
	.help = "where each thread's time went",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct processes),
	.open = open_threads,
	.render = render,
	.close = close_table,
	.records = &time_account_records,
	.owner = OWNER_AT(struct processes, accounts),
	.more_records = &interrupt_records,
	.are_needed = has_credits,
};
