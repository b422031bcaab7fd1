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

/* An open gap in a CPU's trace. */
struct open_gap {
	bool is_open;
	uint8_t reason; /* enum flow_gap_reason */
	int32_t cpu;
	int32_t pid;
	int32_t tid;
	uint64_t begin_ns;
	uint64_t lost_bytes;
	uint64_t offset; /* offset in the trace stream */
};

#define OF_GAP(member) MEMBER(struct open_gap, member)

static const struct column gap_columns[] = {
	NS_COLUMN("begin_ns", "start of the gap", .role = ROLE_BEGIN,
		  OF_GAP(begin_ns)),
	NS_COLUMN("end_ns", "end of the gap, or start of the next one",
		  .role = ROLE_END),
	INT_COLUMN("cpu",
		   "CPU whose trace has the gap; -1: the trace of a single "
		   "thread",
		   .role = ROLE_CPU, OF_GAP(cpu)),
	INT_COLUMN("pid", "process that ran at its start", .role = ROLE_PID,
		   OF_GAP(pid)),
	INT_COLUMN("tid", "its thread", .role = ROLE_TID, OF_GAP(tid)),
	TEXT_COLUMN("reason", "reason; docs/formats.md lists them"),
	BYTES_COLUMN("lost_bytes", "bytes of trace lost; 0 if unknown",
		     OF_GAP(lost_bytes)),
	BYTES_COLUMN("offset", "offset in the CPU's trace", OF_GAP(offset)),
};

static const struct sql_need gap_needs[] = {
	{ .event = RECORDED_FUNCTIONS },
};

const struct sql_table sql_gap_table = {
	.id = TABLE_GAP,
	.name = "gap",
	.meaning = "All gaps: intervals of execution that the trace does not "
		   "show.",
	COLUMN_LIST(gap_columns),
	.rows_per_mb = 1,
	.source = &cpu_source,
	SQL_NEEDS(gap_needs),
};

/* Returns the gap that a STEP_GAP starts. */
static struct open_gap gap_of_step(const struct call_step *step)
{
	return (struct open_gap){
		.reason = step->detail,
		.cpu = (int32_t)step->cpu,
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
	if (!row_out_start(out, gap))
		return;
	row_put_number(out, (int64_t)end_ns);
	row_put_text(out, flow_gap_text(gap->reason));
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

#define OF_ACCOUNT(member) MEMBER(struct cpu_account, member)

static const struct column cpu_columns[] = {
	INT_COLUMN("cpu", "number of the CPU; -1: the trace of a single thread",
		   .role = ROLE_CPU, OF_ACCOUNT(cpu)),
	NS_COLUMN("first_ns", "start of its trace; NULL: no trace"),
	NS_COLUMN("last_ns", "end of its trace"),
	NS_COLUMN("before_ns", "time before its state was first known",
		  OF_ACCOUNT(state_ns[CPU_UNSEEN])),
	NS_COLUMN("traced_ns", "time traced", OF_ACCOUNT(state_ns[CPU_TRACED])),
	NS_COLUMN("outside_ns", "time at a privilege level that is not traced",
		  OF_ACCOUNT(state_ns[CPU_OUTSIDE])),
	NS_COLUMN("filtered_ns", "time outside the address filter",
		  OF_ACCOUNT(state_ns[CPU_FILTERED])),
	NS_COLUMN("off_ns", "time with the trace unit off",
		  OF_ACCOUNT(state_ns[CPU_OFF])),
	NS_COLUMN("not_asked_ns",
		  "time outside the calls selected by record --only",
		  OF_ACCOUNT(state_ns[CPU_NOT_ASKED])),
	NS_COLUMN("guest_ns", "time in virtual machines that ran on the CPU",
		  OF_ACCOUNT(state_ns[CPU_GUEST])),
	NS_COLUMN("gap_ns", "time in gaps of the trace",
		  OF_ACCOUNT(state_ns[CPU_GAP])),
	NS_COLUMN("idle_ns", "part of traced_ns in the idle task",
		  OF_ACCOUNT(idle_ns)),
	INT_COLUMN("switches", "number of task switches", OF_ACCOUNT(switches)),
	INT_COLUMN("gaps", "number of gaps in its trace", OF_ACCOUNT(gaps)),
	BYTES_COLUMN("lost_bytes", "trace lost in these gaps, where known",
		     OF_ACCOUNT(lost_bytes)),
	SUM_WINDOW_COLUMNS,
};

static const struct sql_need cpu_needs[] = {
	{ .event = RECORDED_FUNCTIONS },
};

const struct sql_table sql_cpu_table = {
	.id = TABLE_CPU,
	.name = "cpu",
	.meaning = "The time of each CPU by the state of tracing.",
	COLUMN_LIST(cpu_columns),
	.rows_per_mb = 1,
	.source = &cpu_source,
	SQL_NEEDS(cpu_needs),
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

/* Applies a step. A gap ends with the next STEP_GAP, STEP_STATE or STEP_END of
 * its CPU.
 */
static void consume_step(struct event_handler *handler,
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

static void add_account(const struct cpu_rows *rows,
			const struct cpu_account *account)
{
	struct row_out *out = rows->cpu_out;

	if (!row_out_start(out, account))
		return;
	row_put_known(out, account->first_ns, (int64_t)account->first_ns);
	row_put_known(out, account->first_ns, (int64_t)account->last_ns);
	sum_window_put(out, &rows->choice->sums);
	row_out_end(out);
}

static int end(struct row_source *source, const struct row_end *pass)
{
	const struct cpu_rows *rows = (const struct cpu_rows *)source;
	const struct task_stacks *stacks = pass->stacks;

	for (uint32_t i = 0; rows->cpu_out && i < task_stacks_cpu_count(stacks);
	     i++)
		add_account(rows, task_stacks_account(stacks, i));
	return rows->status;
}

static void close_rows(struct row_source *source)
{
	struct cpu_rows *rows = (struct cpu_rows *)source;

	array_free(&rows->gaps);
}

static bool open_rows(struct row_source *source,
		      const struct row_source_input *input)
{
	struct cpu_rows *rows = (struct cpu_rows *)source;

	rows->choice = input->choice;
	rows->cpu_out = input->outs[TABLE_CPU];
	rows->gap_out = input->outs[TABLE_GAP];
	rows->gaps = ARRAY_OF(struct open_gap);
	if (rows->gap_out)
		rows->source.handler.step = consume_step;
	rows->source.handler.needs = event_handler_needs_no_calls;
	return true;
}

const struct row_source_class cpu_source = {
	.size = sizeof(struct cpu_rows),
	.open = open_rows,
	.is_done = is_done,
	.end = end,
	.close = close_rows,
};
