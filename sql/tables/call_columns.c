/* SPDX-License-Identifier: MIT */
#include "sql/tables/call_columns.h"

#include "report/timeline/step_texts.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/functions/function_table.h"
#include "tables/text/recorded.h"

static const struct sql_column columns[CALL_COLUMNS] = {
	[CALL_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns", "entry" },
	[CALL_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns", "exit" },
	[CALL_WALL] = { "wall_ns", SQL_INTEGER, ROLE_NONE, "ns",
			"end_ns - begin_ns, including sleeps and waits" },
	[CALL_ON_CPU] = { "on_cpu_ns", SQL_INTEGER, ROLE_NONE, "ns",
			  "part of wall_ns that the thread was on a CPU and "
			  "traced, including callees" },
	[CALL_SELF] = { "self_ns", SQL_INTEGER, ROLE_NONE, "ns",
			"part of on_cpu_ns in the function itself" },
	[CALL_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
		       "CPU on which it started" },
	[CALL_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
		       "process; 0: idle, -1: unknown" },
	[CALL_TID] = { "tid", SQL_INTEGER, ROLE_TID, "",
		       "thread; 0: idle, -1: unknown" },
	[CALL_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
			"name of the thread at the start of the call" },
	[CALL_DEPTH] = { "depth", SQL_INTEGER, ROLE_NONE, "",
			 "number of the thread's open functions at the entry" },
	[CALL_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
			    "name of the function" },
	[CALL_MODULE] = { "module", SQL_TEXT, ROLE_NONE, "",
			  "its module or program; empty for the kernel image" },
	[CALL_FUNCTION_ID] = { "function_id", SQL_INTEGER, ROLE_NONE, "",
			       "its number in the table function" },
	[CALL_CALLER] = { "caller", SQL_TEXT, ROLE_NONE, "",
			  "the innermost function open at the entry; NULL: "
			  "none" },
	[CALL_CALLER_ID] = { "caller_id", SQL_INTEGER, ROLE_NONE, "",
			     "its number" },
	[CALL_HOW] = { "how", SQL_TEXT, ROLE_NONE, "",
		       "call, tail (by a jump at the end of its caller), "
		       "interrupt (or exception), system_call, start (the "
		       "trace starts in it), inferred (it was already running "
		       "when it was first seen), resumed (a user-space stack "
		       "continues)" },
	[CALL_PART] = { "part", SQL_TEXT, ROLE_NONE, "",
			"work (in profiles), idle (the idle loop) or tracer "
			"(perf's functions, their callees, and the recorder)" },
	[CALL_BEGIN_UNSEEN] = { "begin_unseen", SQL_INTEGER, ROLE_NONE, "",
				"1: the actual start is earlier, and not in "
				"the trace" },
	[CALL_END_UNSEEN] = { "end_unseen", SQL_INTEGER, ROLE_NONE, "",
			      "1: the actual end is earlier, or the call did "
			      "not end" },
	[CALL_NOT_ALL_SEEN] = { "not_all_seen", SQL_INTEGER, ROLE_NONE, "",
				"1: tracing paused during the call" },
};

void call_columns_fill(union sql_cell *cells,
		       const struct function_table *functions,
		       const struct call_step *step,
		       const struct call_facts *facts)
{
	const struct function *function =
		function_at(functions, step->function);

	cells[CALL_BEGIN].number = (int64_t)facts->begin_ns;
	cells[CALL_END].number = (int64_t)step->time_ns;
	cells[CALL_WALL].number = (int64_t)step->wall_ns;
	cells[CALL_ON_CPU].number = (int64_t)step->on_cpu_ns;
	cells[CALL_SELF].number = (int64_t)facts->self_ns;
	cells[CALL_CPU].number = facts->cpu;
	cells[CALL_PID].number = step->task->pid;
	cells[CALL_TID].number = step->task->tid;
	cells[CALL_DEPTH].number = facts->depth;
	cells[CALL_FUNCTION].text = function->name;
	cells[CALL_MODULE].text = function->module;
	cells[CALL_FUNCTION_ID].number = step->function;
	cells[CALL_CALLER].text = function_at(functions, facts->caller)->name;
	cells[CALL_CALLER_ID].number = facts->caller;
	cells[CALL_HOW].text = call_how_text(step->how);
	cells[CALL_PART].text = profile_part_name(facts->part);
	cells[CALL_BEGIN_UNSEEN].number = !!(step->unseen & UNSEEN_BEGIN);
	cells[CALL_END_UNSEEN].number = !!(step->unseen & UNSEEN_END);
	cells[CALL_NOT_ALL_SEEN].number = !!(step->unseen & UNSEEN_INSIDE);
}

static const struct sql_need needs[] = {
	{ .event = RECORDED_FUNCTIONS },
};

const struct sql_table sql_call_table = {
	.id = TABLE_CALL,
	.name = "call",
	.meaning = "All calls of all functions, ordered by their end.",
	.columns = columns,
	.column_count = CALL_COLUMNS,
	.rows_per_mb = 300000,
	.source = &call_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};
