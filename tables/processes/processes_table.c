/* SPDX-License-Identifier: MIT */
#include "tables/processes/processes_table.h"

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

/* The columns that both tables may have: the table of threads has those of
 * processes if its rows are groups.
 */
#define TIME_COLUMN_NAMES \
	"group comm threads wall_ns user_ns system_call_ns fault_ns " \
	"reclaim_ns kernel_ns runnable_ns throttled_ns asleep_ns interrupt_benefited_ns " \
	"interrupt_stolen_ns tracer_ns guest_ns not_asked_ns unknown_ns " \
	"context_switches system_calls faults recorder_wait " \
	"interrupt_work_elsewhere kernel_work_elsewhere unknown_because " \
	"uncertain"

enum column_type { IS_TIME, IS_COUNT, IS_ID, IS_TEXT };

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

struct column {
	const char *name;
	size_t offset; /* in struct time_account */
	enum column_type type;
	enum column_need need;
	/* TIME_COLUMNS_ALL: in both parts. */
	enum time_columns_part part;
	bool names_task;      /* left out for groups */
	bool is_of_threads;   /* left out for processes */
	bool is_of_processes; /* left out for threads */
};

#define COLUMN(text, member) \
	.name = (text), .offset = offsetof(struct time_account, member)
#define CLASS(text, member) COLUMN(text, member), .part = TIME_COLUMNS_CLASSES
#define REST(text, member) COLUMN(text, member), .part = TIME_COLUMNS_REST

/* The largest classes are first, so that a narrow terminal shows them. */
static const struct column columns_list[] = {
	{ COLUMN("pid", pid), .type = IS_ID, .names_task = true },
	{ COLUMN("tid", tid), .type = IS_ID, .names_task = true,
	  .is_of_threads = true },
	{ COLUMN("comm", comm), .type = IS_TEXT, .names_task = true },
	{ CLASS("threads", threads), .type = IS_COUNT,
	  .is_of_processes = true },
	{ CLASS("wall_ns", wall_ns) },
	{ CLASS("user_ns", class_ns[TIME_USER]) },
	{ CLASS("system_call_ns", class_ns[TIME_SYSTEM_CALL]),
	  .need = NEEDS_KERNEL },
	{ CLASS("fault_ns", class_ns[TIME_FAULT]), .need = NEEDS_KERNEL },
	{ CLASS("reclaim_ns", class_ns[TIME_RECLAIM]), .need = NEEDS_KERNEL },
	{ CLASS("kernel_ns", class_ns[TIME_KERNEL]), .need = NEEDS_KERNEL },
	{ CLASS("runnable_ns", class_ns[TIME_RUNNABLE]),
	  .need = NEEDS_SWITCHES },
	{ CLASS("throttled_ns", class_ns[TIME_THROTTLED]),
	  .need = NEEDS_SWITCHES },
	{ CLASS("asleep_ns", class_ns[TIME_ASLEEP]), .need = NEEDS_WAKEUPS },
	{ CLASS("interrupt_benefited_ns", benefited_ns), .need = NEEDS_ALL },
	{ CLASS("interrupt_stolen_ns", stolen_ns), .need = NEEDS_KERNEL },
	{ CLASS("tracer_ns", class_ns[TIME_TRACER]), .need = NEEDS_KERNEL },
	{ CLASS("guest_ns", class_ns[TIME_GUEST]) },
	{ CLASS("not_asked_ns", class_ns[TIME_NOT_ASKED]) },
	{ CLASS("unknown_ns", class_ns[TIME_UNKNOWN]) },
	{ REST("context_switches", context_switches), .type = IS_COUNT },
	{ REST("system_calls", system_calls), .type = IS_COUNT,
	  .need = NEEDS_KERNEL },
	{ REST("faults", faults), .type = IS_COUNT, .need = NEEDS_KERNEL },
	{ REST("recorder_wait", recorder_wait), .need = NEEDS_SWITCHES },
	{ REST("interrupt_work_elsewhere", interrupt_work_elsewhere),
	  .need = NEEDS_ALL, .is_of_processes = true },
	{ REST("kernel_work_elsewhere", kernel_work_elsewhere),
	  .need = NEEDS_ALL, .is_of_processes = true },
};

#define COLUMNS (sizeof(columns_list) / sizeof(*columns_list))

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

static const void *value_at(const struct time_account *account,
			    const struct column *column)
{
	return (const char *)account + column->offset;
}

/* Returns the name of the column. Text calls the sum over the threads of a
 * process thread time, as it is more than the wall time of the process.
 */
static const char *name_of(const struct time_columns *columns,
			   const struct column *column)
{
	bool is_sum = columns->part == TIME_COLUMNS_CLASSES &&
		      (!columns->by_thread || columns->groups);

	return is_sum && !strcmp(column->name, "wall_ns") ? "thread_time_ns" :
							    column->name;
}

/* Writes "bash (25 processes)". */
static void write_folded_name(struct record_writer *writer, const char *name,
			      const struct time_account *account)
{
	char text[64];

	snprintf(text, sizeof(text), "%s (%" PRIu64 " processes)",
		 account->comm, account->folded);
	record_text(writer, name, text);
}

static void write_column(const struct time_columns *columns,
			 struct record_writer *writer,
			 const struct time_account *account,
			 const struct column *column)
{
	const void *value = value_at(account, column);

	if (!is_known(columns, column->need)) {
		record_absent(writer, column->name);
		return;
	}
	switch (column->type) {
	case IS_TIME:
		record_duration(writer, name_of(columns, column),
				*(const uint64_t *)value);
		break;
	case IS_COUNT:
		record_number(writer, column->name, *(const uint64_t *)value);
		break;
	case IS_ID:
		if (account->folded)
			record_absent(writer, column->name);
		else
			record_signed(writer, column->name,
				      *(const int32_t *)value);
		break;
	case IS_TEXT:
		if (account->folded)
			write_folded_name(writer, column->name, account);
		else
			record_text(writer, column->name,
				    *(const char *const *)value);
		break;
	}
}

/* Writes the reasons for unknown time in ns: "gap 1200, off 30". */
static void write_reasons(struct record_writer *writer,
			  const struct time_account *account)
{
	char text[UNKNOWN_REASONS * 40] = "";
	size_t length = 0;

	for (int i = 0; i < UNKNOWN_REASONS; i++)
		if (account->unknown_ns[i])
			length += (size_t)snprintf(
				text + length, sizeof(text) - length,
				"%s%s %" PRIu64, length ? ", " : "",
				unknown_reason_name((enum unknown_reason)i),
				account->unknown_ns[i]);
	record_text(writer, "unknown_because", text);
}

static bool has_part(const struct time_columns *columns,
		     enum time_columns_part part)
{
	return columns->part == TIME_COLUMNS_ALL || part == TIME_COLUMNS_ALL ||
	       columns->part == part;
}

static bool has_column(const struct time_columns *columns,
		       const struct column *column)
{
	if (columns->groups)
		return !column->names_task;
	return columns->by_thread ? !column->is_of_processes :
				    !column->is_of_threads;
}

/* Writes the fields of @account. */
static void time_columns_write(const struct time_columns *columns,
			       struct record_writer *writer,
			       const struct time_account *account)
{
	if (columns->groups)
		record_text(
			writer, "group",
			task_groups_label(columns->groups, account->pid).text);
	for (size_t i = 0; i < COLUMNS; i++)
		if (has_column(columns, &columns_list[i]) &&
		    has_part(columns, columns_list[i].part))
			write_column(columns, writer, account,
				     &columns_list[i]);
	if (!has_part(columns, TIME_COLUMNS_REST))
		return;
	write_reasons(writer, account);
	record_duration(writer, "uncertain", account->uncertain);
}

/* Columns that are missing, by need. */
struct missing_columns {
	char names[NEEDS_WAKEUPS + 1][COLUMNS * 32];
	struct table_need needs[NEEDS_WAKEUPS + 2];
	size_t count;
};

/* Adds the columns of this table that are missing because of @need. */
static void add_missing(struct missing_columns *all,
			const struct time_columns *columns,
			const struct recorded *recorded, enum column_need need)
{
	char *names = all->names[need];
	const size_t size = sizeof(all->names[need]);
	const struct table_need missing = { .columns = names,
					    .event = events[need] };
	size_t length = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		if (columns_list[i].need == need &&
		    has_column(columns, &columns_list[i]))
			length += (size_t)snprintf(names + length,
						   size - length, "%s%s",
						   length ? ", " : "",
						   columns_list[i].name);
	if (length && !recorded_has(recorded, &missing))
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
			add_missing(&missing, columns, recorded,
				    (enum column_need)need);
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

/* The time of each process by class, and optionally of each thread; and the
 * recorded facts.
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

/* Groups need credits: a group may have no threads, only time of others'
 * threads.
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

/* Context while one of the two tables is written. */
struct sheet {
	struct time_columns columns;
	struct recorded recorded;
	struct array rows; /* struct time_account */
	uint64_t *order;   /* indices of rows */
	bool folds;	   /* one row for small processes of one name */
};

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct sheet *sheet = ctx;

	time_columns_write(&sheet->columns, writer,
			   array_at(&sheet->rows, index));
}

static void write_ordered(struct record_writer *writer, const void *ctx,
			  uint64_t index)
{
	const struct sheet *sheet = ctx;

	write_row(writer, ctx, sheet->order[index]);
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

	if (sheet->columns.by_thread && !processes->input->groups) {
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

static void write_part(struct sheet *sheet,
		       const struct attribution_output *output,
		       enum time_columns_part part)
{
	struct record_writer writer =
		record_writer_of(output->out, output->format);
	uint64_t count = sheet->rows.count;

	writer.shown = output->shown;
	writer.hides_zeros = output->is_brief && !output->is_verbose;
	sheet->columns.part = part;
	record_writer_table(&writer, write_ordered, sheet,
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

static int write_filled(struct sheet *sheet,
			const struct attribution_output *output)
{
	int status = table_rows_order(output, write_row, sheet,
				      sheet->rows.count, &sheet->order);

	if (status < 0)
		return status;
	if (output->format != RECORD_TABLE) {
		write_part(sheet, output, TIME_COLUMNS_ALL);
		return 0;
	}
	write_part(sheet, output, TIME_COLUMNS_CLASSES);
	time_columns_explain(&sheet->columns, &sheet->recorded, output->out);
	explain_folds(sheet, output->out);
	fputs("\n", output->out);
	write_part(sheet, output, TIME_COLUMNS_REST);
	return 0;
}

static int write_sheet(const struct processes *processes,
		       const struct attribution_output *output, bool by_thread)
{
	struct sheet sheet = {
		.columns = {
			.evidence = off_cpu_evidence_of(
				processes->input->recording,
				processes->input->events),
			.is_followed = time_accounts_follow(
				processes->input->events),
			.by_thread = by_thread,
			.groups = processes->input->groups,
		},
		.recorded = recorded_of(processes->input->recording,
					processes->input->events),
		.rows = ARRAY_OF(struct time_account),
		.folds = output->format == RECORD_TABLE && !by_thread &&
			 !processes->input->groups && !output->is_verbose,
	};
	int status = fill(processes, &sheet);

	sheet.columns.lacks_kernel = !sheet.recorded.has_kernel;
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

static void keep(struct event_handler *handler,
		 struct cache_file_writer *writer)
{
	const struct processes *processes = (const struct processes *)handler;

	time_accounts_keep(processes->accounts, writer);
}

static void pack_rest(struct event_handler *handler, struct pack *pack)
{
	const struct processes *processes = (const struct processes *)handler;

	time_accounts_pack_tasks(processes->accounts, pack);
}

static void consume_record(struct event_handler *handler, struct pack *pack)
{
	const struct processes *processes = (const struct processes *)handler;

	time_accounts_read(processes->accounts, pack);
}

/* Shared with --interrupts: the beneficiaries of interrupt time. */
static const struct table_records credit_records = {
	.name = "interrupts",
	.tracker = trackers_interrupts_handler,
	.are_needed = has_credits,
	.keep = interrupt_accounts_keep,
	.pack_rest = interrupt_accounts_pack_rest,
	.consume = interrupt_accounts_read,
	.wanted = table_records_overlap,
};

static const struct table_records records = {
	.name = "threads",
	.more = &credit_records,
	.keep = keep,
	.pack_rest = pack_rest,
	.consume = consume_record,
	.wanted = table_records_overlap,
};

const struct attribution_table processes_table = {
	.name = "processes",
	.columns = "pid " TIME_COLUMN_NAMES,
	.help = "where each process's time went (default)",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct processes),
	.open = open_processes,
	.render = render,
	.close = close_table,
	.records = &records,
};

const struct attribution_table threads_table = {
	.name = "threads",
	.columns = "pid tid " TIME_COLUMN_NAMES,
	.help = "where each thread's time went",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct processes),
	.open = open_threads,
	.render = render,
	.close = close_table,
	.records = &records,
};
