/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/steps/task_stacks.h"
#include "sql/tables/gap_columns.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "sql/tables/sum_window.h"
#include "tables/text/recorded.h"

#include <stdlib.h>

/* The reports' account of each CPU, and each gap in its trace. */
struct cpu_rows {
	struct row_source source;
	const struct row_choice *choice;
	struct array gaps;	 /* struct open_gap by CPU + 1 */
	struct row_out *cpu_out; /* or NULL */
	struct row_out *gap_out; /* or NULL */
	uint32_t open_count;
	int status;
};

enum {
	COLUMN_CPU,
	COLUMN_FIRST,
	COLUMN_LAST,
	COLUMN_BEFORE,
	COLUMN_TRACED,
	COLUMN_OUTSIDE,
	COLUMN_FILTERED,
	COLUMN_OFF,
	COLUMN_NOT_ASKED,
	COLUMN_GUEST,
	COLUMN_GAP,
	COLUMN_IDLE,
	COLUMN_SWITCHES,
	COLUMN_GAPS,
	COLUMN_LOST,
	COLUMN_SINCE,
	COLUMN_UNTIL,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
			 "number of the CPU; -1: the trace of a single "
			 "thread" },
	[COLUMN_FIRST] = { "first_ns", SQL_INTEGER, ROLE_NONE, "ns",
			   "start of its trace; NULL: no trace" },
	[COLUMN_LAST] = { "last_ns", SQL_INTEGER, ROLE_NONE, "ns",
			  "end of its trace" },
	[COLUMN_BEFORE] = { "before_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "time before its state was first known" },
	[COLUMN_TRACED] = { "traced_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "time traced" },
	[COLUMN_OUTSIDE] = { "outside_ns", SQL_INTEGER, ROLE_NONE, "ns",
			     "time at a privilege level that is not traced" },
	[COLUMN_FILTERED] = { "filtered_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "time outside the address filter" },
	[COLUMN_OFF] = { "off_ns", SQL_INTEGER, ROLE_NONE, "ns",
			 "time with the trace unit off" },
	[COLUMN_NOT_ASKED] = { "not_asked_ns", SQL_INTEGER, ROLE_NONE, "ns",
			       "time outside the calls selected by record "
			       "--only" },
	[COLUMN_GUEST] = { "guest_ns", SQL_INTEGER, ROLE_NONE, "ns",
			   "time in virtual machines that ran on the CPU" },
	[COLUMN_GAP] = { "gap_ns", SQL_INTEGER, ROLE_NONE, "ns",
			 "time in gaps of the trace" },
	[COLUMN_IDLE] = { "idle_ns", SQL_INTEGER, ROLE_NONE, "ns",
			  "part of traced_ns in the idle task" },
	[COLUMN_SWITCHES] = { "switches", SQL_INTEGER, ROLE_NONE, "",
			      "number of task switches" },
	[COLUMN_GAPS] = { "gaps", SQL_INTEGER, ROLE_NONE, "",
			  "number of gaps in its trace" },
	[COLUMN_LOST] = { "lost_bytes", SQL_INTEGER, ROLE_NONE, "bytes",
			  "trace lost in these gaps, where known" },
	SUM_WINDOW_COLUMNS(COLUMN_SINCE, COLUMN_UNTIL),
};

static const struct sql_need needs[] = {
	{ .event = RECORDED_FUNCTIONS },
};

const struct sql_table sql_cpu_table = {
	.id = TABLE_CPU,
	.name = "cpu",
	.meaning = "The time of each CPU by the state of tracing.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 1,
	.source = &cpu_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};

static struct open_gap *gap_of(struct cpu_rows *rows,
			       const struct call_step *step)
{
	struct open_gap *gap =
		array_reach(&rows->gaps, (size_t)(step->cpu + 1));

	if (!gap)
		rows->status = -ERROR_MEMORY;
	return gap;
}

/* A gap ends with the next step of its CPU; the account counts up to that step.
 */
static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct cpu_rows *rows = (struct cpu_rows *)handler;
	bool begins = step->kind == STEP_GAP;
	struct open_gap *gap;

	if (!begins && step->kind != STEP_STATE && step->kind != STEP_END)
		return;
	gap = gap_of(rows, step);
	if (!gap)
		return;
	if (gap->is_open) {
		gap_columns_add(rows->gap_out, gap, step->time_ns);
		rows->open_count--;
	}
	*gap = gap_of_step(step);
	gap->is_open = begins;
	rows->open_count += begins;
}

static bool is_done(const struct row_source *source, uint64_t time_ns)
{
	const struct cpu_rows *rows = (const struct cpu_rows *)source;
	const struct row_choice *choice = rows->choice;

	return time_ns >= choice->sums.until_ns ||
	       time_ns >= choice->end.until_ns ||
	       (time_ns >= choice->begin.until_ns && !rows->open_count);
}

static void fill(union sql_cell *cells, const struct cpu_account *account)
{
	static const uint8_t states[CPU_STATES] = {
		[CPU_UNSEEN] = COLUMN_BEFORE,
		[CPU_TRACED] = COLUMN_TRACED,
		[CPU_OUTSIDE] = COLUMN_OUTSIDE,
		[CPU_FILTERED] = COLUMN_FILTERED,
		[CPU_OFF] = COLUMN_OFF,
		[CPU_NOT_ASKED] = COLUMN_NOT_ASKED,
		[CPU_GUEST] = COLUMN_GUEST,
		[CPU_GAP] = COLUMN_GAP,
	};

	cells[COLUMN_CPU].number = account->cpu;
	cells[COLUMN_FIRST].number = (int64_t)account->first_ns;
	cells[COLUMN_LAST].number = (int64_t)account->last_ns;
	for (int i = 0; i < CPU_STATES; i++)
		cells[states[i]].number = (int64_t)account->state_ns[i];
	cells[COLUMN_IDLE].number = (int64_t)account->idle_ns;
	cells[COLUMN_SWITCHES].number = (int64_t)account->switches;
	cells[COLUMN_GAPS].number = (int64_t)account->gaps;
	cells[COLUMN_LOST].number = (int64_t)account->lost_bytes;
}

static void add_account(const struct cpu_rows *rows,
			const struct cpu_account *account)
{
	union sql_cell *cells = row_out_begin(rows->cpu_out);

	if (!cells)
		return;
	fill(cells, account);
	cells[COLUMN_SINCE].number =
		sum_window_bound(rows->choice->sums.since_ns);
	cells[COLUMN_UNTIL].number =
		sum_window_bound(rows->choice->sums.until_ns);
	if (!account->first_ns) {
		row_out_null(rows->cpu_out, COLUMN_FIRST);
		row_out_null(rows->cpu_out, COLUMN_LAST);
	}
	row_out_end(rows->cpu_out);
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct cpu_rows *rows = (struct cpu_rows *)source;
	int status = rows->status;

	(void)is_early;
	for (uint32_t i = 0; rows->cpu_out && i < task_stacks_cpu_count(stacks);
	     i++)
		add_account(rows, task_stacks_account(stacks, i));
	if (!status && rows->cpu_out)
		status = row_out_flush(rows->cpu_out);
	if (!status && rows->gap_out)
		status = row_out_flush(rows->gap_out);
	return status;
}

static void close_rows(struct row_source *source)
{
	struct cpu_rows *rows = (struct cpu_rows *)source;

	array_free(&rows->gaps);
	free(rows);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct cpu_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->source = (struct row_source){
		.is_done = is_done,
		.end = end,
		.close = close_rows,
	};
	rows->choice = input->choice;
	rows->cpu_out = input->outs[TABLE_CPU];
	rows->gap_out = input->outs[TABLE_GAP];
	rows->gaps = ARRAY_OF(struct open_gap);
	if (rows->gap_out)
		rows->source.handler.step = take_step;
	return &rows->source;
}

const struct row_source_class cpu_source = { .open = open_rows };
