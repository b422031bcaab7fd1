/* SPDX-License-Identifier: MIT */
#include "common/container_of.h"
#include "report/text/task_names.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "symbolize/symbols/variables.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/waits/lock_members.h"
#include "tables/waits/lock_waits.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Each wait for a kernel lock or a futex; report --locks adds them up. */
struct lock_rows {
	struct row_source source;
	struct lock_callback callback;
	const struct attribution_input *recording;
	const struct row_choice *choice;
	struct lock_tracker *tracker;
	struct variables *variables;
	struct lock_members *members;
	struct row_out *out;
};

enum {
	COLUMN_BEGIN,
	COLUMN_END,
	COLUMN_WAIT,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_COMM,
	COLUMN_KIND,
	COLUMN_LOCK,
	COLUMN_LOCK_PID,
	COLUMN_VARIABLE,
	COLUMN_MEMBER,
	COLUMN_FUNCTION,
	COLUMN_AT_BEGIN,
	COLUMN_AT_END,
	COLUMN_RELEASER_PID,
	COLUMN_RELEASER_TID,
	COLUMN_RELEASER_COMM,
	COLUMN_IS_RECORDER,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns",
			   "time at which the thread started to wait for the "
			   "lock" },
	[COLUMN_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns",
			 "time at which it got the lock or gave up" },
	[COLUMN_WAIT] = { "wait_ns", SQL_INTEGER, ROLE_NONE, "ns",
			  "end_ns - begin_ns" },
	[COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "",
			 "process of the thread that waited; NULL if unknown" },
	[COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "its thread" },
	[COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
			  "name of the thread at that time" },
	[COLUMN_KIND] = { "kind", SQL_TEXT, ROLE_NONE, "",
			  "spinlock, rwlock, mutex, rwsem, percpu_rwsem, "
			  "rt_mutex, other, futex, file" },
	[COLUMN_LOCK] = { "lock", SQL_TEXT, ROLE_NONE, "",
			  "address of the lock, such as 0x7f2a10, or device "
			  "and inode of the file, such as fe:00:1234; NULL if "
			  "not recorded" },
	[COLUMN_LOCK_PID] = { "lock_pid", SQL_INTEGER, ROLE_NONE, "",
			      "for a futex, the process in whose memory it is; "
			      "otherwise NULL" },
	[COLUMN_VARIABLE] = { "variable", SQL_TEXT, ROLE_NONE, "",
			      "the variable that contains the lock, such as "
			      "rtnl_mutex or _PyRuntime+0x5a8; NULL if unknown" },
	[COLUMN_MEMBER] = { "inferred_member", SQL_TEXT, ROLE_NONE, "",
			    "which member of which of the kernel's structs the "
			    "lock is, such as mm_struct->mmap_lock: inferred "
			    "from the function's code and the kernel's types; "
			    "NULL if unknown" },
	[COLUMN_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
			      "the function that waited for the lock" },
	[COLUMN_AT_BEGIN] = { "waiters_at_begin", SQL_INTEGER, ROLE_NONE, "",
			      "number of other threads that waited for the "
			      "lock at the start of this wait" },
	[COLUMN_AT_END] = { "waiters_at_end", SQL_INTEGER, ROLE_NONE, "",
			    "number of such threads at the end of this wait" },
	[COLUMN_RELEASER_PID] = { "releaser_pid", SQL_INTEGER, ROLE_NONE, "",
				  "process of the thread that released the "
				  "lock: the last one that woke the waiting "
				  "thread; NULL: no wake-up was needed, or it "
				  "was not recorded" },
	[COLUMN_RELEASER_TID] = { "releaser_tid", SQL_INTEGER, ROLE_NONE, "",
				  "its thread" },
	[COLUMN_RELEASER_COMM] = { "releaser_comm", SQL_TEXT, ROLE_NONE, "",
				   "last name of that thread" },
	[COLUMN_IS_RECORDER] = { "is_recorder", SQL_INTEGER, ROLE_NONE, "",
				 "1: a thread of the recorder, omitted from "
				 "reports" },
};

static void fill_lock(const struct lock_rows *rows, union sql_cell *cells,
		      const struct lock_wait *wait)
{
	const struct function_table *functions =
		symbols_functions(rows->recording->symbols);
	const struct lock_text lock = lock_name_text(&wait->lock);
	char variable[256];

	cells[COLUMN_KIND].text =
		lock_kind_name((enum lock_kind)wait->lock.kind);
	cells[COLUMN_LOCK].text =
		*lock.text ? row_out_text(rows->out, lock.text) : NULL;
	cells[COLUMN_VARIABLE].text = NULL;
	if (lock_find_variable(rows->variables, &wait->lock, variable,
			       sizeof(variable)))
		cells[COLUMN_VARIABLE].text = row_out_text(rows->out, variable);
	cells[COLUMN_MEMBER].text = lock_members_find(
		rows->members, (enum lock_kind)wait->lock.kind, wait->function,
		wait->return_address);
	cells[COLUMN_LOCK_PID].number = wait->lock.pid;
	if (wait->lock.pid < 0)
		row_out_null(rows->out, COLUMN_LOCK_PID);
	cells[COLUMN_FUNCTION].text =
		function_at(functions, wait->function)->name;
	cells[COLUMN_AT_BEGIN].number = wait->others_at_begin;
	cells[COLUMN_AT_END].number = wait->others_at_end;
}

/* Fills in the process of @tid. */
static void fill_process(const struct lock_rows *rows, union sql_cell *cells,
			 uint32_t column, int32_t tid)
{
	int32_t pid = task_names_process(rows->recording->names, tid);

	cells[column].number = pid;
	if (pid < 0)
		row_out_null(rows->out, column);
}

static void fill_releaser(const struct lock_rows *rows, union sql_cell *cells,
			  int32_t tid)
{
	fill_process(rows, cells, COLUMN_RELEASER_PID, tid);
	cells[COLUMN_RELEASER_TID].number = tid;
	if (tid < 0)
		row_out_null(rows->out, COLUMN_RELEASER_TID);
	cells[COLUMN_RELEASER_COMM].text =
		tid < 0 ? NULL : task_names_last(rows->recording->names, tid);
}

static int take(struct lock_callback *callback, const struct lock_wait *wait)
{
	const struct lock_rows *rows =
		container_of(callback, struct lock_rows, callback);
	union sql_cell *cells = row_out_begin(rows->out);

	if (!cells)
		return rows->out->status;
	cells[COLUMN_BEGIN].number = (int64_t)wait->begin_ns;
	cells[COLUMN_END].number = (int64_t)wait->end_ns;
	cells[COLUMN_WAIT].number = (int64_t)(wait->end_ns - wait->begin_ns);
	fill_process(rows, cells, COLUMN_PID, wait->task.tid);
	cells[COLUMN_TID].number = wait->task.tid;
	cells[COLUMN_COMM].text = task_names_comm(
		rows->recording->names, wait->task.tid, wait->begin_ns);
	fill_lock(rows, cells, wait);
	fill_releaser(rows, cells, wait->waker);
	cells[COLUMN_IS_RECORDER].number =
		task_is_recorder(rows->recording, wait->task.tid);
	row_out_end(rows->out);
	return 0;
}

static bool is_done(const struct row_source *source, uint64_t time_ns)
{
	const struct lock_rows *rows = (const struct lock_rows *)source;

	return time_ns >= rows->choice->end.until_ns;
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct lock_rows *rows = (struct lock_rows *)source;
	int status = lock_tracker_status(rows->tracker);

	(void)stacks;
	(void)is_early;
	return status ? status : row_out_flush(rows->out);
}

static void close_rows(struct row_source *source)
{
	struct lock_rows *rows = (struct lock_rows *)source;

	lock_tracker_free(rows->tracker);
	variables_free(rows->variables);
	lock_members_free(rows->members);
	free(rows);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct lock_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->source = (struct row_source){
		.needs_begin = true,
		.is_done = is_done,
		.end = end,
		.close = close_rows,
	};
	rows->callback.take = take;
	rows->recording = input->recording;
	rows->choice = input->choice;
	rows->out = input->outs[TABLE_LOCK_WAIT];
	rows->tracker = lock_tracker_new(input->recording, &rows->callback);
	rows->variables = variables_new(rows->recording->recording);
	rows->members = lock_members_new(rows->recording->recording,
					 rows->recording->symbols);
	if (!rows->tracker || !rows->variables || !rows->members) {
		close_rows(&rows->source);
		return NULL;
	}
	return &rows->source;
}

const struct row_source_class lock_source = {
	.needs_time = true,
	.open = open_rows,
};

#define RELEASER \
	(SQL_COLUMN(COLUMN_RELEASER_PID) | SQL_COLUMN(COLUMN_RELEASER_TID) | \
	 SQL_COLUMN(COLUMN_RELEASER_COMM))

static const struct sql_need needs[] = {
	{ .event = RECORDED_KERNEL },
	{ 0, "the kernel's locks", EVENT_LOCK_BEGIN, 0 },
	{ 0, "locks of files", EVENT_FILE_FLOCK, EVENT_FILE_POSIX },
	{ SQL_COLUMN(COLUMN_LOCK) | SQL_COLUMN(COLUMN_LOCK_PID), "futexes",
	  EVENT_SYS_ENTER, 0 },
	{ RELEASER, NULL, EVENT_SCHED_WAKING, 0 },
};

const struct sql_table sql_lock_wait_table = {
	.id = TABLE_LOCK_WAIT,
	.name = "lock_wait",
	.meaning =
		"All completed waits for kernel locks, futexes and file locks; "
		"report --locks adds them up.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 50,
	.is_kept = true,
	.source = &lock_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};
