/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "report/text/task_names.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <stdlib.h>

/* The wake-ups in the scheduler's events. */
struct wakeup_rows {
	struct row_source source;
	const struct task_names *names;
	struct row_out *out;
};

enum {
	COLUMN_TIME,
	COLUMN_CPU,
	COLUMN_WAKER_PID,
	COLUMN_WAKER_TID,
	COLUMN_WAKER_COMM,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_COMM,
	COLUMN_IS_NEW,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_TIME] = { "time_ns", SQL_INTEGER, ROLE_TIME, "ns",
			  "time of the wake-up; exact" },
	[COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
			 "CPU on which the waker ran" },
	[COLUMN_WAKER_PID] = { "waker_pid", SQL_INTEGER, ROLE_NONE, "",
			       "process of the waker, or the process that the "
			       "waking interrupt interrupted" },
	[COLUMN_WAKER_TID] = { "waker_tid", SQL_INTEGER, ROLE_NONE, "",
			       "its thread" },
	[COLUMN_WAKER_COMM] = { "waker_comm", SQL_TEXT, ROLE_NONE, "",
				"name of the thread at that time" },
	[COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
			 "process of the thread that is woken; NULL if "
			 "unknown" },
	[COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "its thread" },
	[COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
			  "name of the thread at that time" },
	[COLUMN_IS_NEW] = { "is_new", SQL_INTEGER, ROLE_NONE, "",
			    "1: first wake-up of a new thread, by its "
			    "creator" },
};

static void add(struct wakeup_rows *rows, const struct event_record *event)
{
	union sql_cell *cells = row_out_begin(rows->out);
	int32_t tid = (int32_t)event->values[WAKING_TID];

	if (!cells)
		return;
	cells[COLUMN_TIME].number = (int64_t)event->time_ns;
	cells[COLUMN_CPU].number = event->cpu;
	cells[COLUMN_WAKER_PID].number = event->pid;
	cells[COLUMN_WAKER_TID].number = event->tid;
	cells[COLUMN_WAKER_COMM].text =
		task_names_comm(rows->names, event->tid, event->time_ns);
	cells[COLUMN_PID].number = task_names_process(rows->names, tid);
	if (cells[COLUMN_PID].number < 0)
		row_out_null(rows->out, COLUMN_PID);
	cells[COLUMN_TID].number = tid;
	cells[COLUMN_COMM].text =
		task_names_comm(rows->names, tid, event->time_ns);
	cells[COLUMN_IS_NEW].number = event->event == EVENT_SCHED_WAKEUP_NEW;
	row_out_end(rows->out);
}

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	if (event->event == EVENT_SCHED_WAKING ||
	    event->event == EVENT_SCHED_WAKEUP_NEW)
		add((struct wakeup_rows *)handler, event);
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct wakeup_rows *rows = (struct wakeup_rows *)source;

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
	struct wakeup_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->source = (struct row_source){
		.handler.event = take_event,
		.end = end,
		.close = close_rows,
	};
	rows->names = input->recording->names;
	rows->out = input->outs[TABLE_WAKEUP];
	return &rows->source;
}

const struct row_source_class wakeup_source = {
	.need = NEEDS_EVENTS,
	.open = open_rows,
};

static const struct sql_need needs[] = {
	{ .event = EVENT_SCHED_WAKING, .or_event = EVENT_SCHED_WAKEUP_NEW },
};

const struct sql_table sql_wakeup_table = {
	.id = TABLE_WAKEUP,
	.name = "wakeup",
	.meaning = "All wake-ups of threads, from sched:sched_waking and "
		   "sched_wakeup_new; empty if these were not recorded.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 500,
	.source = &wakeup_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};
