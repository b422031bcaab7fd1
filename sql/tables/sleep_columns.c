/* SPDX-License-Identifier: MIT */
#include "sql/tables/sleep_columns.h"

#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "report/profile/call_tree.h"
#include "report/text/task_names.h"
#include "sql/rows/row_out.h"
#include "sql/tables/comm_cache.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "sql/tables/written_text.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/sleep_text.h"
#include "tables/text/stack_text.h"

enum {
	COLUMN_BEGIN,
	COLUMN_END,
	COLUMN_ASLEEP,
	COLUMN_RUNNABLE,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_COMM,
	COLUMN_CPU,
	COLUMN_LABEL,
	COLUMN_INNER,
	COLUMN_FD,
	COLUMN_WAKER_PID,
	COLUMN_WAKER_TID,
	COLUMN_WAKER_COMM,
	COLUMN_WAKER_FUNCTION,
	COLUMN_WAKER_INTERRUPT,
	COLUMN_WAKERS,
	COLUMN_OTHERS_BEGIN,
	COLUMN_OTHERS_END,
	COLUMN_IS_CUT,
	COLUMN_IS_RECORDER,
	COLUMN_STACK,
	COLUMN_USER_STACK,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns",
			   "time at which the thread left its CPU" },
	[COLUMN_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns",
			 "time at which the thread ran again: begin_ns + "
			 "asleep_ns + runnable_ns" },
	[COLUMN_ASLEEP] = { "asleep_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "time until the thread was woken" },
	[COLUMN_RUNNABLE] = { "runnable_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "time from the wake-up until it ran" },
	[COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "", "process" },
	[COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "thread" },
	[COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
			  "name of the thread at that time" },
	[COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
			 "CPU on which the thread had last run when the sleep "
			 "ended" },
	[COLUMN_LABEL] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
			   "wait channel: the function that decided to wait, "
			   "as in /proc/PID/wchan; NULL if not in the trace" },
	[COLUMN_INNER] = { "slept_in", SQL_TEXT, ROLE_NONE, "",
			   "the function that it called to sleep" },
	[COLUMN_FD] = { "fd", SQL_INTEGER, ROLE_NONE, "",
			"file descriptor that its system call operates on; "
			"NULL: none, or arguments were not recorded" },
	[COLUMN_WAKER_PID] = { "waker_pid", SQL_INTEGER, ROLE_NONE, "",
			       "process of the waker; NULL if unknown or an "
			       "interrupt" },
	[COLUMN_WAKER_TID] = { "waker_tid", SQL_INTEGER, ROLE_NONE, "",
			       "its thread" },
	[COLUMN_WAKER_COMM] = { "waker_comm", SQL_TEXT, ROLE_NONE, "",
				"last name of that thread" },
	[COLUMN_WAKER_FUNCTION] = { "waker_function", SQL_TEXT, ROLE_NONE, "",
				    "the function that decided to wake the "
				    "thread; NULL if unknown" },
	[COLUMN_WAKER_INTERRUPT] = { "waker_interrupt", SQL_TEXT, ROLE_NONE, "",
				     "handler, if an interrupt woke the "
				     "thread; NULL: none" },
	[COLUMN_WAKERS] = { "wakers", SQL_TEXT, ROLE_NONE, "",
			    "the waker, then the waker's own waker, and so on; "
			    "empty if unknown" },
	[COLUMN_OTHERS_BEGIN] = { "others_at_begin", SQL_INTEGER, ROLE_NONE, "",
				  "number of other threads asleep in the same "
				  "function at the start of the sleep" },
	[COLUMN_OTHERS_END] = { "others_at_end", SQL_INTEGER, ROLE_NONE, "",
				"number of such threads at the wake-up" },
	[COLUMN_IS_CUT] = { "is_cut", SQL_INTEGER, ROLE_NONE, "",
			    "1: the recording starts or ends during the "
			    "sleep" },
	[COLUMN_IS_RECORDER] = { "is_recorder", SQL_INTEGER, ROLE_NONE, "",
				 "1: a thread of the recorder, omitted from "
				 "reports" },
	[COLUMN_STACK] = { "stack", SQL_TEXT, ROLE_NONE, "",
			   "kernel functions, outermost first, separated by "
			   ";" },
	[COLUMN_USER_STACK] = { "user_stack", SQL_TEXT, ROLE_NONE, "",
				"functions of the program in the same form, by "
				"record --user-stacks; NULL without it" },
};

#define FUNCTIONS \
	(SQL_COLUMN(COLUMN_LABEL) | SQL_COLUMN(COLUMN_INNER) | \
	 SQL_COLUMN(COLUMN_WAKER_FUNCTION) | \
	 SQL_COLUMN(COLUMN_WAKER_INTERRUPT) | SQL_COLUMN(COLUMN_STACK))

static const struct sql_need needs[] = {
	{ .event = EVENT_SCHED_SWITCH },
	{ .event = EVENT_SCHED_WAKING },
	{ FUNCTIONS, NULL, RECORDED_KERNEL, 0 },
	{ SQL_COLUMN(COLUMN_FD), NULL, EVENT_SYS_ENTER, 0 },
	{ SQL_COLUMN(COLUMN_USER_STACK), NULL, RECORDED_USER_STACKS, 0 },
};

const struct sql_table sql_sleep_table = {
	.id = TABLE_SLEEP,
	.name = "sleep",
	.meaning = "All sleeps of threads, with their wakers; report --sleeps "
		   "adds them up.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 200,
	.is_kept = true,
	.source = &watch_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};

/* A text column of a row: a stack or wakers, by number. */
struct row_text {
	const struct attribution_input *input;
	const struct task_tracker *tracker;
	uint32_t number;
};

static void write_stack(FILE *file, const void *ctx)
{
	const struct row_text *text = ctx;

	stack_text_write(task_tracker_stacks(text->tracker), text->number,
			 symbols_functions(text->input->symbols), file);
}

static void write_wakers(FILE *file, const void *ctx)
{
	const struct row_text *text = ctx;

	if (text->number != WAKER_NONE)
		wakers_write(task_tracker_wakers(text->tracker), text->number,
			     symbols_functions(text->input->symbols),
			     text->input->names, file);
}

static void fill_texts(union sql_cell *cells, struct row_out *out,
		       struct row_text *text, const struct sleep *sleep)
{
	text->number = sleep->waker;
	cells[COLUMN_WAKERS].text = written_text(out, write_wakers, text);
	text->number = sleep->stack;
	cells[COLUMN_STACK].text = written_text(out, write_stack, text);
	text->number = sleep->user_stack;
	cells[COLUMN_USER_STACK].text = written_text(out, write_stack, text);
	/* With a trace of user code its functions are in the stack itself. */
	if (!known_events_has_user_stacks(text->input->events))
		row_out_null(out, COLUMN_USER_STACK);
}

static void fill_times(union sql_cell *cells, const struct sleep *sleep)
{
	cells[COLUMN_BEGIN].number = (int64_t)sleep->begin_ns;
	cells[COLUMN_END].number =
		(int64_t)(sleep->begin_ns + sleep->asleep_ns +
			  sleep->runnable_ns);
	cells[COLUMN_ASLEEP].number = (int64_t)sleep->asleep_ns;
	cells[COLUMN_RUNNABLE].number = (int64_t)sleep->runnable_ns;
	cells[COLUMN_OTHERS_BEGIN].number = sleep->others_at_begin;
	cells[COLUMN_OTHERS_END].number = sleep->others_at_end;
	cells[COLUMN_IS_CUT].number = sleep->is_cut;
}

static void fill_task(union sql_cell *cells,
		      const struct attribution_input *input,
		      const struct sleep *sleep)
{
	cells[COLUMN_PID].number = task_process(input->names, sleep->task);
	cells[COLUMN_TID].number = sleep->task->tid;
	cells[COLUMN_COMM].text = task_names_comm(
		input->names, sleep->task->tid, sleep->begin_ns);
	cells[COLUMN_IS_RECORDER].number =
		task_is_recorder(input, sleep->task->tid);
	cells[COLUMN_CPU].number = sleep->task->cpu;
}

/* If an interrupt is the waker, its task is only the interrupted one. */
static void fill_waker(union sql_cell *cells, struct row_out *out,
		       const struct attribution_input *input,
		       const struct waker *waker)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	bool is_task = waker && waker->interrupt == FUNCTION_NONE;

	cells[COLUMN_WAKER_FUNCTION].text =
		waker ? function_at(functions, waker->function)->name : NULL;
	cells[COLUMN_WAKER_INTERRUPT].text =
		waker && !is_task ?
			function_at(functions, waker->interrupt)->name :
			NULL;
	cells[COLUMN_WAKER_COMM].text =
		is_task ? task_names_last(input->names, waker->tid) : NULL;
	cells[COLUMN_WAKER_PID].number = is_task ? waker->pid : 0;
	cells[COLUMN_WAKER_TID].number = is_task ? waker->tid : 0;
	if (!is_task) {
		row_out_null(out, COLUMN_WAKER_PID);
		row_out_null(out, COLUMN_WAKER_TID);
	}
}

static const char *name_of(const struct function_table *functions,
			   uint32_t function)
{
	return function == FUNCTION_UNKNOWN ?
		       NULL :
		       function_at(functions, function)->name;
}

void sleep_columns_add(const struct attribution_input *input,
		       const struct task_tracker *tracker, struct row_out *out,
		       const struct sleep *sleep)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	struct row_text text = { .input = input, .tracker = tracker };
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	fill_times(cells, sleep);
	fill_task(cells, input, sleep);
	cells[COLUMN_LABEL].text = name_of(functions, sleep->label);
	cells[COLUMN_INNER].text = name_of(functions, sleep->inner);
	cells[COLUMN_FD].number = sleep->fd;
	if (sleep->fd < 0)
		row_out_null(out, COLUMN_FD);
	fill_waker(cells, out, input,
		   sleep->waker == WAKER_NONE ?
			   NULL :
			   wakers_at(task_tracker_wakers(tracker),
				     sleep->waker));
	fill_texts(cells, out, &text, sleep);
	row_out_end(out);
}
