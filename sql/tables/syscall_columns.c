/* SPDX-License-Identifier: MIT */
#include "sql/tables/syscall_columns.h"

#include "attribution/calls/system_calls.h"
#include "report/text/task_names.h"
#include "sql/rows/row_out.h"
#include "sql/tables/comm_cache.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

enum {
	COLUMN_BEGIN,
	COLUMN_END,
	COLUMN_WALL,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_COMM,
	COLUMN_CPU,
	COLUMN_CALL,
	COLUMN_FUNCTION,
	COLUMN_ON_CPU,
	COLUMN_ASLEEP,
	COLUMN_RUNNABLE,
	COLUMN_STOLEN,
	COLUMN_TRACER,
	COLUMN_UNKNOWN,
	COLUMN_FAULTS,
	COLUMN_FAULT_NS,
	COLUMN_IS_RECORDER,
	COLUMN_ENDED,
	COLUMN_NUMBER,
	COLUMN_RESULT,
	COLUMN_ARGUMENT,
	COLUMNS = COLUMN_ARGUMENT + SYSTEM_CALL_ARGUMENTS,
};

#define ARGUMENT(number) \
	[COLUMN_ARGUMENT + (number)] = { "arg" #number, SQL_INTEGER, \
					 ROLE_NONE, "", \
					 "argument, as a signed " \
					 "number; NULL if not recorded" }

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns",
			   "entry into the kernel" },
	[COLUMN_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns",
			 "exit from the kernel, or the last time at which the "
			 "call was seen" },
	[COLUMN_WALL] = { "wall_ns", SQL_INTEGER, ROLE_NONE, "ns",
			  "end_ns - begin_ns" },
	[COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "", "process" },
	[COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "thread" },
	[COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
			  "name of the thread at the start of the call" },
	[COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
			 "CPU on which it ended" },
	[COLUMN_CALL] = { "call", SQL_TEXT, ROLE_NONE, "",
			  "name of the system call, such as read; ? if no "
			  "function of a system call was entered" },
	[COLUMN_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
			      "the kernel's function that handles it" },
	[COLUMN_ON_CPU] = { "on_cpu_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "part of wall_ns on a CPU for the call" },
	[COLUMN_ASLEEP] = { "asleep_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "part of wall_ns asleep" },
	[COLUMN_RUNNABLE] = { "runnable_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "part of wall_ns waiting for a CPU" },
	[COLUMN_STOLEN] = { "stolen_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "part of wall_ns in interrupts" },
	[COLUMN_TRACER] = { "tracer_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "part of wall_ns in the functions of the tracer" },
	[COLUMN_UNKNOWN] = { "unknown_ns", SQL_INTEGER, ROLE_NONE, "ns",
			     "part of wall_ns that is not in the trace" },
	[COLUMN_FAULTS] = { "faults", SQL_INTEGER, ROLE_NONE, "",
			    "number of page faults in the call" },
	[COLUMN_FAULT_NS] = { "fault_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "wall time of these page faults" },
	[COLUMN_IS_RECORDER] = { "is_recorder", SQL_INTEGER, ROLE_NONE, "",
				 "1: a thread of the recorder, omitted from "
				 "reports" },
	[COLUMN_ENDED] = { "ended", SQL_TEXT, ROLE_NONE, "",
			   "returned; no_return: the thread ended in the call; "
			   "cut: part of the call is not in the trace" },
	[COLUMN_NUMBER] = { "number", SQL_INTEGER, ROLE_NONE, "",
			    "number of the system call; NULL if not recorded" },
	[COLUMN_RESULT] = { "result", SQL_INTEGER, ROLE_NONE, "",
			    "return value, negative for errors; NULL if not "
			    "recorded" },
	ARGUMENT(0),
	ARGUMENT(1),
	ARGUMENT(2),
	ARGUMENT(3),
	ARGUMENT(4),
	ARGUMENT(5),
};

#define OFF_CPU (SQL_COLUMN(COLUMN_ASLEEP) | SQL_COLUMN(COLUMN_RUNNABLE))

/* The number and all arguments. */
#define VALUES \
	(SQL_COLUMN(COLUMN_NUMBER) | (SQL_COLUMN(SYSTEM_CALL_ARGUMENTS) - 1) \
					     << COLUMN_ARGUMENT)

static const struct sql_need needs[] = {
	{ .event = RECORDED_KERNEL },
	{ OFF_CPU, NULL, EVENT_SCHED_SWITCH, 0 },
	{ OFF_CPU, NULL, EVENT_SCHED_WAKING, 0 },
	{ VALUES, NULL, EVENT_SYS_ENTER, 0 },
	{ SQL_COLUMN(COLUMN_RESULT), NULL, EVENT_SYS_EXIT, 0 },
};

const struct sql_table sql_syscall_table = {
	.id = TABLE_SYSCALL,
	.name = "syscall",
	.meaning = "All system calls; report --syscalls adds up the ones that "
		   "returned.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 1000,
	.is_kept = true,
	.source = &watch_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};

static void fill_times(union sql_cell *cells, const struct system_call *call)
{
	cells[COLUMN_BEGIN].number = (int64_t)call->begin_ns;
	cells[COLUMN_END].number = (int64_t)call->end_ns;
	cells[COLUMN_WALL].number = (int64_t)(call->end_ns - call->begin_ns);
	cells[COLUMN_ON_CPU].number =
		(int64_t)system_call_on_cpu(call->class_ns);
	cells[COLUMN_ASLEEP].number = (int64_t)call->class_ns[TIME_ASLEEP];
	cells[COLUMN_RUNNABLE].number = (int64_t)call->class_ns[TIME_RUNNABLE];
	cells[COLUMN_STOLEN].number = (int64_t)call->class_ns[TIME_INTERRUPT];
	cells[COLUMN_TRACER].number = (int64_t)call->class_ns[TIME_TRACER];
	cells[COLUMN_UNKNOWN].number = (int64_t)call->class_ns[TIME_UNKNOWN];
	cells[COLUMN_FAULTS].number = (int64_t)call->faults;
	cells[COLUMN_FAULT_NS].number = (int64_t)call->fault_ns;
}

static void fill_values(union sql_cell *cells, struct row_out *out,
			const struct system_call *call)
{
	cells[COLUMN_NUMBER].number = call->number;
	cells[COLUMN_RESULT].number = call->result;
	if (!call->has_enter)
		row_out_null(out, COLUMN_NUMBER);
	if (!call->has_exit)
		row_out_null(out, COLUMN_RESULT);
	for (uint32_t i = 0; i < SYSTEM_CALL_ARGUMENTS; i++) {
		cells[COLUMN_ARGUMENT + i].number = (int64_t)call->arguments[i];
		if (!call->has_enter)
			row_out_null(out, COLUMN_ARGUMENT + i);
	}
}

void syscall_columns_add(const struct attribution_input *input,
			 struct row_out *out, const struct system_call *call)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	fill_times(cells, call);
	fill_values(cells, out, call);
	cells[COLUMN_PID].number = task_process(input->names, call->task);
	cells[COLUMN_TID].number = call->task->tid;
	cells[COLUMN_COMM].text =
		task_names_comm(input->names, call->task->tid, call->begin_ns);
	cells[COLUMN_CPU].number = call->task->cpu;
	cells[COLUMN_CALL].text = system_call_name(
		functions, symbols_arch(input->symbols), call->function);
	cells[COLUMN_FUNCTION].text =
		function_at(functions, call->function)->name;
	cells[COLUMN_IS_RECORDER].number =
		task_is_recorder(input, call->task->tid);
	cells[COLUMN_ENDED].text = system_call_end_text(call->end);
	row_out_end(out);
}
