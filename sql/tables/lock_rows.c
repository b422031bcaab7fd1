/* SPDX-License-Identifier: MIT */
#include "attribution/lock_waits.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "report/text/task_names.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/symbols/variables.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/waits/lock_members.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Each wait for a kernel lock, a futex or a file lock; report --locks adds them
 * up.
 */
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

#define OF_WAIT(member) MEMBER(struct lock_wait, member)

static const struct column columns[] = {
	NS_COLUMN("begin_ns",
		  "time at which the thread started to wait for the lock",
		  .role = ROLE_BEGIN, OF_WAIT(begin_ns)),
	NS_COLUMN("end_ns", "time at which it got the lock or gave up",
		  .role = ROLE_END, OF_WAIT(end_ns)),
	NS_COLUMN("wait_ns", "end_ns - begin_ns"),
	INT_COLUMN("pid", "process of the thread that waited; NULL if unknown",
		   .role = ROLE_PID),
	INT_COLUMN("tid", "its thread", .role = ROLE_TID, OF_WAIT(task.tid)),
	TEXT_COLUMN("comm", "name of the thread at that time"),
	TEXT_COLUMN("kind",
		    "spinlock, rwlock, mutex, rwsem, percpu_rwsem, rt_mutex, "
		    "other, futex, file; by record --args=wait_objects page, "
		    "bit, variable"),
	TEXT_COLUMN("lock",
		    "address of the lock, such as 0x7f2a10, with the number "
		    "of a bit after a plus sign; or device and inode of the "
		    "file, such as fe:00:1234; NULL if not recorded"),
	INT_COLUMN("lock_pid",
		   "for a futex, the process in whose memory it is; "
		   "otherwise NULL",
		   ID_MEMBER(struct lock_wait, lock.pid)),
	TEXT_COLUMN("variable",
		    "the variable that contains the lock, such as rtnl_mutex "
		    "or _PyRuntime+0x5a8; NULL if unknown"),
	TEXT_COLUMN("inferred_member",
		    "which member of which of the kernel's structs the lock "
		    "is, such as mm_struct->mmap_lock: inferred from the "
		    "function's code and the kernel's types; NULL if unknown"),
	TEXT_COLUMN("function", "the function that waited for the lock",
		    .role = ROLE_FUNCTION),
	INT_COLUMN("waiters_at_begin",
		   "number of other threads that waited for the lock at the "
		   "start of this wait",
		   OF_WAIT(others_at_begin)),
	INT_COLUMN("waiters_at_end",
		   "number of such threads at the end of this wait",
		   OF_WAIT(others_at_end)),
	INT_COLUMN("releaser_pid",
		   "process of the thread that released the lock: the last "
		   "one that woke the waiting thread; NULL: no wake-up was "
		   "needed, or it was not recorded"),
	INT_COLUMN("releaser_tid", "its thread",
		   ID_MEMBER(struct lock_wait, waker)),
	TEXT_COLUMN("releaser_comm", "last name of that thread"),
	INT_COLUMN("is_recorder",
		   "1: a thread of the recorder, omitted from reports"),
};

static void put_lock(const struct lock_rows *rows, const struct lock_wait *wait)
{
	const struct lock_text lock = lock_name_text(&wait->lock);
	struct row_out *out = rows->out;
	char variable[256];

	row_put_text(out, lock_kind_name((enum lock_kind)wait->lock.kind));
	row_put_text(out, *lock.text ? row_out_text(out, lock.text) : NULL);
	row_put_text(out, lock_find_variable(rows->variables, &wait->lock,
					     variable, sizeof(variable)) ?
				  row_out_text(out, variable) :
				  NULL);
	row_put_text(out,
		     lock_members_find(rows->members,
				       (enum lock_kind)wait->lock.kind,
				       wait->function, wait->return_address));
	row_put_function(out, rows->recording, true, wait->function);
}

/* Puts the process of @tid. */
static void put_process(const struct lock_rows *rows, int32_t tid)
{
	int32_t pid = task_names_process(rows->recording->names, tid);

	row_put_known(rows->out, pid >= 0, pid);
}

static int consume(struct lock_callback *callback, const struct lock_wait *wait)
{
	const struct lock_rows *rows =
		container_of(callback, struct lock_rows, callback);
	const struct task_names *names = rows->recording->names;
	struct row_out *out = rows->out;
	int32_t tid = wait->task.tid;

	if (!row_out_start(out, wait))
		return out->status;
	row_put_number(out, (int64_t)(wait->end_ns - wait->begin_ns));
	put_process(rows, tid);
	row_put_text(out, task_names_comm(names, tid, wait->begin_ns));
	put_lock(rows, wait);
	put_process(rows, wait->waker);
	row_put_text(out, wait->waker < 0 ?
				  NULL :
				  task_names_last(names, wait->waker));
	row_put_number(out, task_is_recorder(rows->recording, tid));
	row_out_end(out);
	return 0;
}

static bool is_done(const struct row_source *source, uint64_t time_ns)
{
	const struct lock_rows *rows = (const struct lock_rows *)source;

	return time_ns >= rows->choice->end.until_ns;
}

static int end(struct row_source *source, const struct row_end *pass)
{
	(void)pass;
	return lock_tracker_status(((const struct lock_rows *)source)->tracker);
}

static bool open_rows(struct row_source *source,
		      const struct row_source_input *input)
{
	struct lock_rows *rows = (struct lock_rows *)source;

	source->needs_begin = true;
	rows->callback.consume = consume;
	rows->recording = input->recording;
	rows->choice = input->choice;
	rows->out = input->outs[TABLE_LOCK_WAIT];
	rows->tracker =
		trackers_locks(input->recording->trackers, &rows->callback);
	rows->variables = variables_new(rows->recording->recording);
	rows->members = lock_members_new(rows->recording->recording,
					 rows->recording->symbols);
	return rows->tracker && rows->variables && rows->members;
}

static void close_rows(struct row_source *source)
{
	struct lock_rows *rows = (struct lock_rows *)source;

	variables_free(rows->variables);
	lock_members_free(rows->members);
}

const struct row_source_class lock_source = {
	.needs_time = true,
	.size = sizeof(struct lock_rows),
	.open = open_rows,
	.close = close_rows,
	.is_done = is_done,
	.end = end,
};

static const struct sql_need needs[] = {
	{ .event = RECORDED_KERNEL },
	{ NULL, "the kernel's locks", EVENT_LOCK_BEGIN, 0 },
	{ NULL, "locks of files", EVENT_FILE_FLOCK, EVENT_FILE_POSIX },
	{ "lock lock_pid", "futexes", EVENT_SYS_ENTER, 0 },
	{ "releaser_pid releaser_tid releaser_comm", NULL, EVENT_SCHED_WAKING,
	  0 },
};

const struct sql_table sql_lock_wait_table = {
	.id = TABLE_LOCK_WAIT,
	.name = "lock_wait",
	.meaning =
		"All completed waits for kernel locks, futexes and file locks, "
		"and for pages, bits and variables; report --locks adds them "
		"up.",
	COLUMN_LIST(columns),
	.rows_per_mb = 50,
	.records = &lock_records,
	.source = &lock_source,
	SQL_NEEDS(needs),
};
