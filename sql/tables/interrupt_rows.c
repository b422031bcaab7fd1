/* SPDX-License-Identifier: MIT */
#include "sql/tables/interrupt_rows_internal.h"

#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "report/text/task_names.h"
#include "sql/rows/row_out.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/symbols/symbols.h"
#include "tables/processes/interrupts_table.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Columns that several tables share, as a contiguous group: the kind of
 * interrupt work, the interrupted thread, and the beneficiary.
 */
enum interrupt_who {
	WHO_KIND,
	WHO_FUNCTION,
	WHO_IRQ,
	WHO_IS_THREAD,
	WHO_ON_PID,
	WHO_ON_TID,
	WHO_ON_COMM,
	WHO_FOR_PID,
	WHO_FOR_COMM,
	WHO_COLUMNS,
};

/* Initializers of these columns, from column @first on. */
#define INTERRUPT_WHO_COLUMNS(first) \
	[(first) + \
		WHO_KIND] = { "kind", SQL_TEXT, ROLE_NONE, "", \
			      "interrupt, ipi, nmi, softirq, napi, timer, " \
			      "hrtimer, tasklet, rcu, work_item, " \
			      "threaded_handler, reclaim" }, \
		[(first) + \
			WHO_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION, \
					  "", \
					  "the handler, action or callback" }, \
		[(first) + WHO_IRQ] = { "irq", SQL_INTEGER, ROLE_NONE, "", \
					"interrupt number; NULL if none is " \
					"known" }, \
		[(first) + \
			WHO_IS_THREAD] = { "is_thread_work", SQL_INTEGER, \
					   ROLE_NONE, "", \
					   "1: not an interrupt but the " \
					   "purpose of a kernel thread, such " \
					   "as a work item" }, \
		[(first) + \
			WHO_ON_PID] = { "on_pid", SQL_INTEGER, ROLE_NONE, "", \
					"process on whose time the work ran; " \
					"0: idle CPU" }, \
		[(first) + WHO_ON_TID] = { "on_tid", SQL_INTEGER, ROLE_NONE, \
					   "", "its thread" }, \
		[(first) + WHO_ON_COMM] = { "on_comm", SQL_TEXT, ROLE_NONE, \
					    "", \
					    "last name of that process, or " \
					    "idle" }, \
		[(first) + \
			WHO_FOR_PID] = { "for_pid", SQL_INTEGER, ROLE_NONE, \
					 "", \
					 "beneficiary: process that the work " \
					 "is charged to; 0: the system as a " \
					 "whole; NULL: no known " \
					 "beneficiary" }, \
		[(first) + WHO_FOR_COMM] = { \
			"for_comm", SQL_TEXT, ROLE_NONE, "", \
			"last name of the beneficiary, system or nobody" \
		}
#define INTERRUPT_WHO_FOR(first) \
	(SQL_COLUMN((first) + WHO_FOR_PID) | SQL_COLUMN((first) + WHO_FOR_COMM))

/* The events that these columns need, the first of which is column @first. */
#define INTERRUPT_WHO_NEEDS(first) \
	{ .event = RECORDED_KERNEL }, \
		{ SQL_COLUMN((first) + WHO_IRQ), NULL, EVENT_IRQ_ENTRY, 0 }, \
		{ INTERRUPT_WHO_FOR(first), "soft interrupts", \
		  EVENT_SOFTIRQ_RAISE, 0 }, \
		{ INTERRUPT_WHO_FOR(first), "interrupts that wake", \
		  EVENT_SCHED_WAKING, 0 }, \
		{ INTERRUPT_WHO_FOR(first), "timers", EVENT_HRTIMER_EXPIRE, \
		  0 }, \
		{ INTERRUPT_WHO_FOR(first), "work items", EVENT_WORK_BEGIN, \
		  0 }, \
		{ INTERRUPT_WHO_FOR(first), "disks", EVENT_BIO_QUEUE, 0 }, \
	{ \
		INTERRUPT_WHO_FOR(first), "packets", EVENT_NET_RECEIVE, 0 \
	}

static const char *owner_name(const struct task_names *names, int32_t pid)
{
	if (pid < 0)
		return "nobody";
	return pid ? task_names_last(names, pid) : "system";
}

/* Fills these columns of the current row of @out, from column @first on, for
 * the work of @row and process @pid as in struct interrupt_row.
 */
static void interrupt_who_fill(const struct attribution_input *input,
			       struct row_out *out, union sql_cell *cells,
			       uint32_t first, const struct interrupt_row *row,
			       int32_t pid)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	union sql_cell *who = cells + first;

	who[WHO_KIND].text = interrupt_kind_name(row->kind);
	who[WHO_FUNCTION].text = function_at(functions, row->function)->name;
	who[WHO_IRQ].number = row->irq;
	who[WHO_IS_THREAD].number = row->is_thread_work;
	who[WHO_ON_PID].number = row->victim_pid;
	who[WHO_ON_TID].number = row->victim_tid;
	who[WHO_ON_COMM].text =
		row->victim_pid ?
			task_names_last(input->names, row->victim_pid) :
			"idle";
	who[WHO_FOR_PID].number = pid;
	who[WHO_FOR_COMM].text = owner_name(input->names, pid);
	if (row->irq < 0)
		row_out_null(out, first + WHO_IRQ);
	if (pid < 0)
		row_out_null(out, first + WHO_FOR_PID);
}

enum {
	INTERRUPT_COLUMN_COUNT = WHO_COLUMNS,
	INTERRUPT_COLUMN_TOTAL,
	INTERRUPT_COLUMN_MAX,
	INTERRUPT_COLUMN_EXACT,
	INTERRUPT_COLUMN_INFERRED,
	INTERRUPT_COLUMN_NOBODY,
	INTERRUPT_COLUMN_SINCE,
	INTERRUPT_COLUMN_UNTIL,
	INTERRUPT_COLUMNS,
};

static const struct sql_column interrupt_columns[INTERRUPT_COLUMNS] = {
	INTERRUPT_WHO_COLUMNS(0),
	[INTERRUPT_COLUMN_COUNT] = { "count", SQL_REAL, ROLE_NONE, "",
				     "number of slices of work; a slice with several "
				     "beneficiaries counts for each by its share" },
	[INTERRUPT_COLUMN_TOTAL] = { "total_ns", SQL_INTEGER, ROLE_NONE, "ns",
				     "time, without nested interrupts" },
	[INTERRUPT_COLUMN_MAX] = { "max_ns", SQL_INTEGER, ROLE_NONE, "ns",
				   "longest slice, or largest share of one slice" },
	[INTERRUPT_COLUMN_EXACT] = { "exact_ns", SQL_INTEGER, ROLE_NONE, "ns",
				     "part of total_ns with an exact beneficiary" },
	[INTERRUPT_COLUMN_INFERRED] = { "inferred_ns", SQL_INTEGER, ROLE_NONE,
					"ns",
					"part of total_ns with an inferred beneficiary" },
	[INTERRUPT_COLUMN_NOBODY] = { "nobody_ns", SQL_INTEGER, ROLE_NONE, "ns",
				      "part of total_ns without a known beneficiary" },
	SUM_WINDOW_COLUMNS(INTERRUPT_COLUMN_SINCE, INTERRUPT_COLUMN_UNTIL),
};

static const struct sql_need interrupt_needs[] = { INTERRUPT_WHO_NEEDS(0) };

const struct sql_table sql_interrupt_table = {
	.id = TABLE_INTERRUPT,
	.name = "interrupt",
	.meaning = "Sums of interrupt work and deferred work, by kind, "
		   "interrupted process and beneficiary, as in report "
		   "--interrupts.",
	.columns = interrupt_columns,
	.column_count = INTERRUPT_COLUMNS,
	.rows_per_mb = 5,
	.source = &account_source,
	.needs = interrupt_needs,
	.need_count = sizeof(interrupt_needs) / sizeof(*interrupt_needs),
};

static void fill_sums(union sql_cell *cells, const struct interrupt_row *row)
{
	cells[INTERRUPT_COLUMN_COUNT].real = row->count;
	cells[INTERRUPT_COLUMN_TOTAL].number = (int64_t)row->total_ns;
	cells[INTERRUPT_COLUMN_MAX].number = (int64_t)row->max_ns;
	cells[INTERRUPT_COLUMN_EXACT].number =
		(int64_t)row->certain_ns[CERTAIN_EXACT];
	cells[INTERRUPT_COLUMN_INFERRED].number =
		(int64_t)row->certain_ns[CERTAIN_INFERRED];
	cells[INTERRUPT_COLUMN_NOBODY].number =
		(int64_t)row->certain_ns[CERTAIN_NOBODY];
}

void interrupt_columns_add(const struct attribution_input *input,
			   const struct row_choice *choice, struct row_out *out,
			   const struct interrupt_row *row)
{
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	fill_sums(cells, row);
	interrupt_who_fill(input, out, cells, 0, row, row->pid);
	cells[INTERRUPT_COLUMN_SINCE].number =
		sum_window_bound(choice->sums.since_ns);
	cells[INTERRUPT_COLUMN_UNTIL].number =
		sum_window_bound(choice->sums.until_ns);
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

enum {
	SLICE_COLUMN_ID,
	SLICE_COLUMN_OUTER,
	SLICE_COLUMN_BEGIN,
	SLICE_COLUMN_END,
	SLICE_COLUMN_CPU,
	SLICE_COLUMN_WHO, /* the first of INTERRUPT_WHO_COLUMNS */
	SLICE_COLUMN_SHARE = SLICE_COLUMN_WHO + WHO_COLUMNS,
	SLICE_COLUMN_OWN,
	SLICE_COLUMN_CERTAINTY,
	SLICE_COLUMNS,
};

static const struct sql_column slice_columns[SLICE_COLUMNS] = {
	[SLICE_COLUMN_ID] = { "id", SQL_INTEGER, ROLE_NONE, "",
			      "number of the slice; a slice with several "
			      "beneficiaries has a row for each" },
	[SLICE_COLUMN_OUTER] = { "part_of", SQL_INTEGER, ROLE_NONE, "",
				 "id of the enclosing slice, such as the timer "
				 "interrupt of a timer; NULL: none" },
	[SLICE_COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns",
				 "start" },
	[SLICE_COLUMN_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns",
			       "end; if it ended in a switch to another thread, "
			       "after the switch back" },
	[SLICE_COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
			       "CPU on which it ran" },
	INTERRUPT_WHO_COLUMNS(SLICE_COLUMN_WHO),
	[SLICE_COLUMN_SHARE] = { "share", SQL_REAL, ROLE_NONE, "",
				 "this beneficiary's share of the slice: 1 if it is "
				 "the only one" },
	[SLICE_COLUMN_OWN] = { "own_ns", SQL_INTEGER, ROLE_NONE, "ns",
			       "this beneficiary's part of the slice's own time, "
			       "which excludes nested slices and the tracer" },
	[SLICE_COLUMN_CERTAINTY] = { "certainty", SQL_TEXT, ROLE_NONE, "",
				     "certainty of the beneficiary: exact, inferred "
				     "or nobody (unknown)" },
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

static void take(struct charge_callback *callback,
		 const struct interrupt_row *work, int32_t pid,
		 const struct interrupt_charge *charge)
{
	const struct slice_rows *rows =
		container_of(callback, struct slice_rows, callback);
	const struct slice_span *span = &charge->span;
	union sql_cell *cells = row_out_begin(rows->out);

	if (!cells)
		return;
	cells[SLICE_COLUMN_ID].number = (int64_t)span->serial;
	cells[SLICE_COLUMN_OUTER].number = (int64_t)span->outer;
	if (!span->outer)
		row_out_null(rows->out, SLICE_COLUMN_OUTER);
	cells[SLICE_COLUMN_BEGIN].number = (int64_t)span->begin_ns;
	cells[SLICE_COLUMN_END].number = (int64_t)span->end_ns;
	cells[SLICE_COLUMN_CPU].number = span->cpu;
	interrupt_who_fill(rows->recording, rows->out, cells, SLICE_COLUMN_WHO,
			   work, pid);
	cells[SLICE_COLUMN_SHARE].real = charge->count;
	cells[SLICE_COLUMN_OWN].number = (int64_t)charge->ns;
	cells[SLICE_COLUMN_CERTAINTY].text = certainty_name(charge->certainty);
	row_out_end(rows->out);
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct slice_rows *rows = (struct slice_rows *)source;

	(void)stacks;
	(void)is_early;
	return row_out_flush(rows->out);
}

static void close_rows(struct row_source *source)
{
	free(source);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct slice_rows *rows = calloc(1, sizeof(*rows));
	struct interrupt_accounts *accounts;

	if (!rows)
		return NULL;
	rows->source = (struct row_source){
		.needs_begin = true,
		.end = end,
		.close = close_rows,
	};
	rows->callback.take = take;
	rows->recording = input->recording;
	rows->out = input->outs[TABLE_INTERRUPT_SLICE];
	accounts = trackers_interrupts(input->recording->trackers);
	if (!accounts) {
		close_rows(&rows->source);
		return NULL;
	}
	interrupt_rows_listen(interrupt_accounts_rows(accounts),
			      &rows->callback);
	return &rows->source;
}

const struct row_source_class slice_source = {
	.needs_time = true,
	.open = open_rows,
};

static const struct sql_need slice_needs[] = { INTERRUPT_WHO_NEEDS(
	SLICE_COLUMN_WHO) };

const struct sql_table sql_interrupt_slice_table = {
	.id = TABLE_INTERRUPT_SLICE,
	.name = "interrupt_slice",
	.meaning =
		"All interrupts, soft interrupts and items of deferred work, "
		"in the order in which their beneficiaries become known; the "
		"table interrupt adds them up.",
	.columns = slice_columns,
	.column_count = SLICE_COLUMNS,
	.rows_per_mb = 200,
	.is_kept = true,
	.source = &slice_source,
	.needs = slice_needs,
	.need_count = sizeof(slice_needs) / sizeof(*slice_needs),
};
