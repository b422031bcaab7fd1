/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "decoder/flow/flow.h"
#include "report/steps/call_step.h"
#include "report/steps/task_stacks.h"
#include "sql/rows/row_out.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "tables/text/recorded.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* An open gap in a CPU's trace. */
struct open_gap {
	bool is_open;
	uint8_t reason; /* enum flow_gap_reason */
	uint32_t cpu;
	int32_t pid;
	int32_t tid;
	uint64_t begin_ns;
	uint64_t lost_bytes;
	uint64_t offset; /* in the trace stream */
};

enum {
	GAP_COLUMN_BEGIN,
	GAP_COLUMN_END,
	GAP_COLUMN_CPU,
	GAP_COLUMN_PID,
	GAP_COLUMN_TID,
	GAP_COLUMN_REASON,
	GAP_COLUMN_LOST,
	GAP_COLUMN_OFFSET,
	GAP_COLUMNS,
};

static const struct sql_column gap_columns[GAP_COLUMNS] = {
	[GAP_COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns",
			       "start of the gap" },
	[GAP_COLUMN_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns",
			     "end of the gap, or start of the next one" },
	[GAP_COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
			     "CPU whose trace has the gap; -1: the trace of a "
			     "single thread" },
	[GAP_COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
			     "process that ran at its start" },
	[GAP_COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "its thread" },
	[GAP_COLUMN_REASON] = { "reason", SQL_TEXT, ROLE_NONE, "",
				"reason; docs/formats.md lists them" },
	[GAP_COLUMN_LOST] = { "lost_bytes", SQL_INTEGER, ROLE_NONE, "bytes",
			      "bytes of trace lost; 0 if unknown" },
	[GAP_COLUMN_OFFSET] = { "offset", SQL_INTEGER, ROLE_NONE, "bytes",
				"offset in the CPU's trace" },
};

static const struct sql_need gap_needs[] = {
	{ .event = RECORDED_FUNCTIONS },
};

const struct sql_table sql_gap_table = {
	.id = TABLE_GAP,
	.name = "gap",
	.meaning = "All gaps: intervals of execution that the trace does not "
		   "show.",
	.columns = gap_columns,
	.column_count = GAP_COLUMNS,
	.rows_per_mb = 1,
	.source = &cpu_source,
	.needs = gap_needs,
	.need_count = sizeof(gap_needs) / sizeof(*gap_needs),
};

/* Returns the gap that a STEP_GAP starts. */
static struct open_gap gap_of_step(const struct call_step *step)
{
	return (struct open_gap){
		.reason = step->detail,
		.cpu = step->cpu,
		.pid = step->task->pid,
		.tid = step->task->tid,
		.begin_ns = step->time_ns,
		.lost_bytes = step->value,
		.offset = step->place,
	};
}

/* Adds a row of the table "gap" to @out. */
static void gap_columns_add(struct row_out *out, const struct open_gap *gap,
			    uint64_t end_ns)
{
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	cells[GAP_COLUMN_BEGIN].number = (int64_t)gap->begin_ns;
	cells[GAP_COLUMN_END].number = (int64_t)end_ns;
	cells[GAP_COLUMN_CPU].number = (int32_t)gap->cpu;
	cells[GAP_COLUMN_PID].number = gap->pid;
	cells[GAP_COLUMN_TID].number = gap->tid;
	cells[GAP_COLUMN_REASON].text = flow_gap_text(gap->reason);
	cells[GAP_COLUMN_LOST].number = (int64_t)gap->lost_bytes;
	cells[GAP_COLUMN_OFFSET].number = (int64_t)gap->offset;
	row_out_end(out);
}

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
	CPU_COLUMN_CPU,
	CPU_COLUMN_FIRST,
	CPU_COLUMN_LAST,
	CPU_COLUMN_BEFORE,
	CPU_COLUMN_TRACED,
	CPU_COLUMN_OUTSIDE,
	CPU_COLUMN_FILTERED,
	CPU_COLUMN_OFF,
	CPU_COLUMN_NOT_ASKED,
	CPU_COLUMN_GUEST,
	CPU_COLUMN_GAP,
	CPU_COLUMN_IDLE,
	CPU_COLUMN_SWITCHES,
	CPU_COLUMN_GAPS,
	CPU_COLUMN_LOST,
	CPU_COLUMN_SINCE,
	CPU_COLUMN_UNTIL,
	CPU_COLUMNS,
};

static const struct sql_column cpu_columns[CPU_COLUMNS] = {
	[CPU_COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
			     "number of the CPU; -1: the trace of a single "
			     "thread" },
	[CPU_COLUMN_FIRST] = { "first_ns", SQL_INTEGER, ROLE_NONE, "ns",
			       "start of its trace; NULL: no trace" },
	[CPU_COLUMN_LAST] = { "last_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "end of its trace" },
	[CPU_COLUMN_BEFORE] = { "before_ns", SQL_INTEGER, ROLE_NONE, "ns",
				"time before its state was first known" },
	[CPU_COLUMN_TRACED] = { "traced_ns", SQL_INTEGER, ROLE_NONE, "ns",
				"time traced" },
	[CPU_COLUMN_OUTSIDE] = { "outside_ns", SQL_INTEGER, ROLE_NONE, "ns",
				 "time at a privilege level that is not traced" },
	[CPU_COLUMN_FILTERED] = { "filtered_ns", SQL_INTEGER, ROLE_NONE, "ns",
				  "time outside the address filter" },
	[CPU_COLUMN_OFF] = { "off_ns", SQL_INTEGER, ROLE_NONE, "ns",
			     "time with the trace unit off" },
	[CPU_COLUMN_NOT_ASKED] = { "not_asked_ns", SQL_INTEGER, ROLE_NONE, "ns",
				   "time outside the calls selected by record "
				   "--only" },
	[CPU_COLUMN_GUEST] = { "guest_ns", SQL_INTEGER, ROLE_NONE, "ns",
			       "time in virtual machines that ran on the CPU" },
	[CPU_COLUMN_GAP] = { "gap_ns", SQL_INTEGER, ROLE_NONE, "ns",
			     "time in gaps of the trace" },
	[CPU_COLUMN_IDLE] = { "idle_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "part of traced_ns in the idle task" },
	[CPU_COLUMN_SWITCHES] = { "switches", SQL_INTEGER, ROLE_NONE, "",
				  "number of task switches" },
	[CPU_COLUMN_GAPS] = { "gaps", SQL_INTEGER, ROLE_NONE, "",
			      "number of gaps in its trace" },
	[CPU_COLUMN_LOST] = { "lost_bytes", SQL_INTEGER, ROLE_NONE, "bytes",
			      "trace lost in these gaps, where known" },
	SUM_WINDOW_COLUMNS(CPU_COLUMN_SINCE, CPU_COLUMN_UNTIL),
};

static const struct sql_need cpu_needs[] = {
	{ .event = RECORDED_FUNCTIONS },
};

const struct sql_table sql_cpu_table = {
	.id = TABLE_CPU,
	.name = "cpu",
	.meaning = "The time of each CPU by the state of tracing.",
	.columns = cpu_columns,
	.column_count = CPU_COLUMNS,
	.rows_per_mb = 1,
	.source = &cpu_source,
	.needs = cpu_needs,
	.need_count = sizeof(cpu_needs) / sizeof(*cpu_needs),
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

/* Applies a step. A gap ends with the next step of its CPU; the account counts
 * up to that step.
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
		[CPU_UNSEEN] = CPU_COLUMN_BEFORE,
		[CPU_TRACED] = CPU_COLUMN_TRACED,
		[CPU_OUTSIDE] = CPU_COLUMN_OUTSIDE,
		[CPU_FILTERED] = CPU_COLUMN_FILTERED,
		[CPU_OFF] = CPU_COLUMN_OFF,
		[CPU_NOT_ASKED] = CPU_COLUMN_NOT_ASKED,
		[CPU_GUEST] = CPU_COLUMN_GUEST,
		[CPU_GAP] = CPU_COLUMN_GAP,
	};

	cells[CPU_COLUMN_CPU].number = account->cpu;
	cells[CPU_COLUMN_FIRST].number = (int64_t)account->first_ns;
	cells[CPU_COLUMN_LAST].number = (int64_t)account->last_ns;
	for (int i = 0; i < CPU_STATES; i++)
		cells[states[i]].number = (int64_t)account->state_ns[i];
	cells[CPU_COLUMN_IDLE].number = (int64_t)account->idle_ns;
	cells[CPU_COLUMN_SWITCHES].number = (int64_t)account->switches;
	cells[CPU_COLUMN_GAPS].number = (int64_t)account->gaps;
	cells[CPU_COLUMN_LOST].number = (int64_t)account->lost_bytes;
}

static void add_account(const struct cpu_rows *rows,
			const struct cpu_account *account)
{
	union sql_cell *cells = row_out_begin(rows->cpu_out);

	if (!cells)
		return;
	fill(cells, account);
	cells[CPU_COLUMN_SINCE].number =
		sum_window_bound(rows->choice->sums.since_ns);
	cells[CPU_COLUMN_UNTIL].number =
		sum_window_bound(rows->choice->sums.until_ns);
	if (!account->first_ns) {
		row_out_null(rows->cpu_out, CPU_COLUMN_FIRST);
		row_out_null(rows->cpu_out, CPU_COLUMN_LAST);
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
