/* SPDX-License-Identifier: MIT */
#include "sql/tables/call_columns.h"

#include "report/timeline/step_words.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/functions/function_table.h"
#include "tables/text/recorded.h"

static const struct sql_column columns[CALL_COLUMNS] = {
	[CALL_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns",
			 "when it was entered" },
	[CALL_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns",
		       "when it was left" },
	[CALL_WALL] = { "wall_ns", SQL_INTEGER, ROLE_NONE, "ns",
			"end_ns - begin_ns: with sleeps and waits" },
	[CALL_ON_CPU] = { "on_cpu_ns", SQL_INTEGER, ROLE_NONE, "ns",
			  "of that, traced on a CPU in this thread, with what "
			  "it called" },
	[CALL_SELF] = { "self_ns", SQL_INTEGER, ROLE_NONE, "ns",
			"of that, in the function itself" },
	[CALL_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "", "where it began" },
	[CALL_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
		       "process; 0: idle, -1: unknown" },
	[CALL_TID] = { "tid", SQL_INTEGER, ROLE_TID, "",
		       "thread; 0: idle, -1: unknown" },
	[CALL_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
			"the thread's name when it began" },
	[CALL_DEPTH] = { "depth", SQL_INTEGER, ROLE_NONE, "",
			 "how many functions of the thread were open then" },
	[CALL_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
			    "the function's name" },
	[CALL_MODULE] = { "module", SQL_TEXT, ROLE_NONE, "",
			  "its module or program; empty for the kernel "
			  "proper" },
	[CALL_FUNCTION_ID] = { "function_id", SQL_INTEGER, ROLE_NONE, "",
			       "its number in the table function" },
	[CALL_CALLER] = { "caller", SQL_TEXT, ROLE_NONE, "",
			  "the innermost function open then; NULL: none" },
	[CALL_CALLER_ID] = { "caller_id", SQL_INTEGER, ROLE_NONE, "",
			     "its number" },
	[CALL_HOW] = { "how", SQL_TEXT, ROLE_NONE, "",
		       "call, tail (a jump at its caller's end), interrupt "
		       "(or exception), system_call, start (the trace begins "
		       "there), inferred (it was running before it was seen), "
		       "resumed (its stack in user space goes on)" },
	[CALL_PART] = { "part", SQL_TEXT, ROLE_NONE, "",
			"work, which profiles show; idle: the idle loop; "
			"tracer: perf's functions, what they call, and the "
			"program that recorded" },
	[CALL_BEGIN_UNSEEN] = { "begin_unseen", SQL_INTEGER, ROLE_NONE, "",
				"1: it began earlier" },
	[CALL_END_UNSEEN] = { "end_unseen", SQL_INTEGER, ROLE_NONE, "",
			      "1: it ended earlier, or not at all" },
	[CALL_NOT_ALL_SEEN] = { "not_all_seen", SQL_INTEGER, ROLE_NONE, "",
				"1: tracing paused in it" },
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
	.meaning = "Every call of every function, in the order in which they "
		   "end.",
	.columns = columns,
	.column_count = CALL_COLUMNS,
	.rows_per_mb = 300000,
	.source = &call_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};
