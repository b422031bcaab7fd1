/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "report/text/task_names.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "tables/table.h"

#include <stdlib.h>

/* The wake-ups in the scheduler's events. */
struct wakeup_rows {
	struct row_source source;
	const struct task_names *names;
	struct row_out *out;
};

#define OF_EVENT(member) MEMBER(struct event_record, member)

static const struct column columns[] = {
	NS_COLUMN("time_ns", "time of the wake-up; exact", .role = ROLE_TIME,
		  OF_EVENT(time_ns)),
	INT_COLUMN("cpu", "CPU on which the waker ran", .role = ROLE_CPU,
		   OF_EVENT(cpu)),
	INT_COLUMN("waker_pid",
		   "process of the waker, or the process that the waking "
		   "interrupt interrupted",
		   OF_EVENT(pid)),
	INT_COLUMN("waker_tid", "its thread", OF_EVENT(tid)),
	TEXT_COLUMN("waker_comm", "name of the thread at that time"),
	INT_COLUMN("pid",
		   "process of the thread that is woken; NULL if unknown",
		   .role = ROLE_PID),
	INT_COLUMN("tid", "its thread", .role = ROLE_TID),
	TEXT_COLUMN("comm", "name of the thread at that time"),
	INT_COLUMN("is_new",
		   "1: first wake-up of a new thread, by its creator"),
};

static void add(struct wakeup_rows *rows, const struct event_record *event)
{
	struct row_out *out = rows->out;
	int32_t tid = (int32_t)event->values[WAKING_TID];
	int32_t pid = task_names_process(rows->names, tid);

	if (!row_out_start(out, event))
		return;
	row_put_text(out,
		     task_names_comm(rows->names, event->tid, event->time_ns));
	row_put_known(out, pid >= 0, pid);
	row_put_number(out, tid);
	row_put_text(out, task_names_comm(rows->names, tid, event->time_ns));
	row_put_number(out, event->event == EVENT_SCHED_WAKEUP_NEW);
	row_out_end(out);
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	if (event->event == EVENT_SCHED_WAKING ||
	    event->event == EVENT_SCHED_WAKEUP_NEW)
		add((struct wakeup_rows *)handler, event);
}

static bool open_rows(struct row_source *source,
		      const struct row_source_input *input)
{
	struct wakeup_rows *rows = (struct wakeup_rows *)source;

	source->handler.event = consume_event;
	rows->names = input->recording->names;
	rows->out = input->outs[TABLE_WAKEUP];
	return true;
}

const struct row_source_class wakeup_source = {
	.need = NEEDS_EVENTS,
	.size = sizeof(struct wakeup_rows),
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
	COLUMN_LIST(columns),
	.rows_per_mb = 500,
	.source = &wakeup_source,
	SQL_NEEDS(needs),
};
