/* SPDX-License-Identifier: MIT */
#include "sql/tables/state_columns.h"

#include "attribution/time/task_contexts.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

enum {
	COLUMN_BEGIN,
	COLUMN_END,
	COLUMN_DURATION,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_COMM,
	COLUMN_CPU,
	COLUMN_CLASS,
	COLUMN_REASON,
	COLUMN_FUNCTION,
	COLUMN_WORK,
	COLUMN_WAKER_TID,
	COLUMN_IS_RECORDER,
	COLUMN_ERROR,
	COLUMNS,
};

static const struct sql_column columns_list[COLUMNS] = {
	[COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns",
			   "start of the state" },
	[COLUMN_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns",
			 "end of the state and start of the thread's next "
			 "one" },
	[COLUMN_DURATION] = { "duration_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "end_ns - begin_ns" },
	[COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
			 "process; -1: unknown" },
	[COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "thread" },
	[COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
			  "name of the thread at that time" },
	[COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
			 "CPU on which the thread runs, or last ran" },
	[COLUMN_CLASS] = { "class", SQL_TEXT, ROLE_NONE, "",
			   "class of the time: user, system_call, fault, "
			   "kernel, interrupt, tracer (also waits while the "
			   "recorder had the CPU), guest (as the CPU of a "
			   "virtual machine), runnable, asleep, not_asked "
			   "(outside the calls selected by record --only), "
			   "unknown" },
	[COLUMN_REASON] = { "reason", SQL_TEXT, ROLE_NONE, "",
			    "reason if the class is unknown, otherwise NULL" },
	[COLUMN_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
			      "entry function of the innermost system call, "
			      "fault, interrupt or similar that the thread is "
			      "in; NULL: none" },
	[COLUMN_WORK] = { "work", SQL_INTEGER, ROLE_NONE, "",
			  "number of that system call, fault or interrupt: "
			  "equal for all its states within one query" },
	[COLUMN_WAKER_TID] = { "waker_tid", SQL_INTEGER, ROLE_NONE, "",
			       "if runnable after a sleep, the thread that "
			       "woke it; NULL if unknown" },
	[COLUMN_IS_RECORDER] = { "is_recorder", SQL_INTEGER, ROLE_NONE, "",
				 "1: a thread of the recorder, omitted from "
				 "reports" },
	[COLUMN_ERROR] = { "begin_error_ns", SQL_INTEGER, ROLE_NONE, "ns",
			   "error bound of begin_ns" },
};

static const struct sql_need needs[] = {
	{ SQL_COLUMN(COLUMN_FUNCTION) | SQL_COLUMN(COLUMN_WORK), NULL,
	  RECORDED_KERNEL, 0 },
	{ SQL_COLUMN(COLUMN_WAKER_TID), NULL, EVENT_SCHED_WAKING, 0 },
};

const struct sql_table sql_thread_state_table = {
	.id = TABLE_THREAD_STATE,
	.name = "thread_state",
	.meaning =
		"The states of each thread, without gaps, one row per interval "
		"of one class; report --threads adds them up.",
	.columns = columns_list,
	.column_count = COLUMNS,
	.rows_per_mb = 3000,
	.source = &span_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};

struct state_fact state_fact_of(const struct time_span *span)
{
	const struct open_context *work =
		span->context_count ? &span->contexts[span->context_count - 1] :
				      NULL;

	return (struct state_fact){
		.task = span->task,
		.begin_ns = span->begin_ns,
		.end_ns = span->end_ns,
		.work = work ? work->serial : 0,
		.function = work ? work->function : 0,
		.begin_error_ns = span->begin_error_ns,
		.cpu = span->cpu,
		.waker_tid = span->waker_tid,
		.time_class = (uint8_t)time_span_account(span),
		.reason = span->reason,
		.is_provisional = span->is_provisional &&
				  span->time_class == TIME_KERNEL,
	};
}

struct state_columns state_columns_of(const struct attribution_input *input)
{
	return (struct state_columns){
		.input = input,
		.comms = comm_cache_of(input->names),
	};
}

void state_columns_free(struct state_columns *columns)
{
	comm_cache_free(&columns->comms);
}

static void fill_class(union sql_cell *cells, struct row_out *out,
		       const struct state_fact *fact)
{
	cells[COLUMN_CLASS].text =
		time_class_name((enum time_class)fact->time_class);
	if (fact->time_class == TIME_UNKNOWN)
		cells[COLUMN_REASON].text =
			unknown_reason_name((enum unknown_reason)fact->reason);
	else
		row_out_null(out, COLUMN_REASON);
	cells[COLUMN_WAKER_TID].number = fact->waker_tid;
	if (fact->waker_tid < 0)
		row_out_null(out, COLUMN_WAKER_TID);
}

static void fill_work(const struct state_columns *columns,
		      union sql_cell *cells, struct row_out *out,
		      const struct state_fact *fact)
{
	const struct function_table *functions =
		symbols_functions(columns->input->symbols);

	if (!fact->work) {
		row_out_null(out, COLUMN_FUNCTION);
		row_out_null(out, COLUMN_WORK);
		return;
	}
	cells[COLUMN_FUNCTION].text =
		function_at(functions, fact->function)->name;
	cells[COLUMN_WORK].number = (int64_t)fact->work;
}

void state_columns_add(struct state_columns *columns, struct row_out *out,
		       const struct state_fact *fact)
{
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	cells[COLUMN_BEGIN].number = (int64_t)fact->begin_ns;
	cells[COLUMN_END].number = (int64_t)fact->end_ns;
	cells[COLUMN_DURATION].number =
		(int64_t)(fact->end_ns - fact->begin_ns);
	cells[COLUMN_PID].number =
		task_process(columns->input->names, fact->task);
	cells[COLUMN_TID].number = fact->task->tid;
	cells[COLUMN_COMM].text =
		comm_cache_find(&columns->comms, fact->task, fact->begin_ns);
	cells[COLUMN_CPU].number = fact->cpu;
	cells[COLUMN_ERROR].number = fact->begin_error_ns;
	cells[COLUMN_IS_RECORDER].number =
		task_is_recorder(columns->input, fact->task->tid);
	fill_class(cells, out, fact);
	fill_work(columns, cells, out, fact);
	row_out_end(out);
}
