/* SPDX-License-Identifier: MIT */
#include "sql/tables/gap_columns.h"

#include "decoder/flow/flow.h"
#include "report/steps/call_step.h"
#include "sql/rows/row_out.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "tables/text/recorded.h"

enum {
	COLUMN_BEGIN,
	COLUMN_END,
	COLUMN_CPU,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_REASON,
	COLUMN_LOST,
	COLUMN_OFFSET,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns",
			   "start of the gap" },
	[COLUMN_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns",
			 "end of the gap, or start of the next one" },
	[COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
			 "CPU whose trace has the gap; -1: the trace of a "
			 "single thread" },
	[COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
			 "process that ran at its start" },
	[COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "its thread" },
	[COLUMN_REASON] = { "reason", SQL_TEXT, ROLE_NONE, "",
			    "reason; docs/formats.md lists them" },
	[COLUMN_LOST] = { "lost_bytes", SQL_INTEGER, ROLE_NONE, "bytes",
			  "bytes of trace lost; 0 if unknown" },
	[COLUMN_OFFSET] = { "offset", SQL_INTEGER, ROLE_NONE, "bytes",
			    "offset in the CPU's trace" },
};

static const struct sql_need needs[] = {
	{ .event = RECORDED_FUNCTIONS },
};

const struct sql_table sql_gap_table = {
	.id = TABLE_GAP,
	.name = "gap",
	.meaning = "All gaps: intervals of execution that the trace does not "
		   "show.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 1,
	.source = &cpu_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};

struct open_gap gap_of_step(const struct call_step *step)
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

void gap_columns_add(struct row_out *out, const struct open_gap *gap,
		     uint64_t end_ns)
{
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	cells[COLUMN_BEGIN].number = (int64_t)gap->begin_ns;
	cells[COLUMN_END].number = (int64_t)end_ns;
	cells[COLUMN_CPU].number = (int32_t)gap->cpu;
	cells[COLUMN_PID].number = gap->pid;
	cells[COLUMN_TID].number = gap->tid;
	cells[COLUMN_REASON].text = flow_gap_text(gap->reason);
	cells[COLUMN_LOST].number = (int64_t)gap->lost_bytes;
	cells[COLUMN_OFFSET].number = (int64_t)gap->offset;
	row_out_end(out);
}
