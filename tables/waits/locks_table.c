/* SPDX-License-Identifier: MIT */
#include "tables/waits/locks_table_internal.h"

#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/lock_waits.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/task_choice.h"
#include "report/text/task_names.h"
#include "symbolize/symbols/variables.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"
#include "tables/waits/lock_members.h"

#include <inttypes.h>

void lock_stats_free(struct lock_stats *stats)
{
	for (size_t i = 0; i < stats->all.items.count; i++) {
		struct lock_stat *stat = array_at(&stats->all.items, i);

		histogram_free(&stat->waits);
		keyed_array_free(&stat->releases);
	}
	keyed_array_free(&stats->all);
}

static struct lock_stat *stat_of(struct lock_stats *stats,
				 const struct lock_wait *wait, int32_t group)
{
	return keyed_array_add(
		&stats->all,
		&(struct lock_stat){
			.lock = wait->lock,
			.function = wait->function,
			.group = group,
			.return_address = wait->return_address,
			.waits = HISTOGRAM_EMPTY,
			.releases = KEYED_ARRAY_OF(struct lock_release, tid),
		});
}

static int add_release(struct lock_stat *stat, int32_t tid)
{
	struct lock_release *release = keyed_array_add(
		&stat->releases, &(struct lock_release){ .tid = tid });

	if (!release)
		return -ERROR_MEMORY;
	release->count++;
	return 0;
}

int lock_stats_add(struct lock_stats *stats, const struct lock_wait *wait,
		   int32_t group)
{
	struct lock_stat *stat = stat_of(stats, wait, group);

	if (!stat)
		return -ERROR_MEMORY;
	if (stat->others_at_begin < wait->others_at_begin)
		stat->others_at_begin = wait->others_at_begin;
	if (stat->others_at_end < wait->others_at_end)
		stat->others_at_end = wait->others_at_end;
	if (wait->waker >= 0 && add_release(stat, wait->waker) < 0)
		return -ERROR_MEMORY;
	return histogram_add(&stat->waits, wait->end_ns - wait->begin_ns);
}

void lock_stats_sort(struct lock_stats *stats)
{
	array_sort_by(&stats->all.items,
		      KEYS(FALLING(struct lock_stat, waits.total),
			   RISING(struct lock_stat, lock.address),
			   RISING(struct lock_stat, lock.device),
			   RISING(struct lock_stat, lock.part),
			   RISING(struct lock_stat, group)));
	for (size_t i = 0; i < stats->all.items.count; i++) {
		struct lock_stat *stat = array_at(&stats->all.items, i);

		array_sort_by(&stat->releases.items,
			      KEYS(FALLING(struct lock_release, count),
				   RISING(struct lock_release, tid)));
	}
}

/* report --locks: the locks that threads waited for, and the threads that
 * released them.
 */
struct locks_table {
	struct event_handler handler;
	struct lock_callback callback;
	struct attribution_input input;
	struct lock_tracker *tracker;
	struct lock_stats stats;
	struct variables *variables;
	struct lock_members *members;
};

/* Maximum number of releasing threads in a row. */
enum { MOST_RELEASES = 3 };

static int count_wait(struct locks_table *table, const struct lock_wait *wait)
{
	const struct task_groups *groups = table->input.groups;

	return table_wants(&table->input, &wait->task, wait->begin_ns) ?
		       lock_stats_add(&table->stats, wait,
				      groups ? task_groups_of(groups,
							      &wait->task) :
					       0) :
		       0;
}

static int consume_wait(struct lock_callback *callback,
			const struct lock_wait *wait)
{
	struct locks_table *table =
		container_of(callback, struct locks_table, callback);

	return count_wait(table, wait);
}

static void close_table(struct event_handler *handler)
{
	struct locks_table *table = (struct locks_table *)handler;

	lock_stats_free(&table->stats);
	variables_free(table->variables);
	lock_members_free(table->members);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct locks_table *table = (struct locks_table *)handler;

	table->callback.consume = consume_wait;
	table->input = *input;
	table->stats = LOCK_STATS_NONE;
	table->tracker = trackers_locks(input->trackers, &table->callback);
	table->variables = variables_new(input->recording);
	table->members = lock_members_new(input->recording, input->symbols);
	return table->tracker && table->variables && table->members;
}

/* Writes the releasers of a lock: "hog-144 12, recv-145 3". */
static bool write_releases(FILE *out, const void *ctx)
{
	const struct column_row *row = ctx;
	const struct lock_stat *stat = row->fact;

	for (size_t i = 0; i < stat->releases.items.count && i < MOST_RELEASES;
	     i++) {
		const struct lock_release *release =
			array_at(&stat->releases.items, i);

		fprintf(out, "%s%s %" PRIu64, i ? ", " : "",
			task_label_last(row->input->names, release->tid).text,
			release->count);
	}
	return true;
}

/* Writes the variable that contains a lock. */
static void write_variable(struct record_writer *writer,
			   const struct column *column,
			   const struct column_row *row)
{
	const struct locks_table *table = row->state;
	const struct lock_stat *stat = row->fact;
	char text[256];

	if (lock_find_variable(table->variables, &stat->lock, text,
			       sizeof(text)))
		record_text(writer, column->name, text);
	else
		record_absent(writer, column->name);
}

/* Returns the member of a kernel's struct that a lock is. */
static const char *member_of(const struct column_row *row)
{
	const struct locks_table *table = row->state;
	const struct lock_stat *stat = row->fact;

	return lock_members_find(table->members,
				 (enum lock_kind)stat->lock.kind,
				 stat->function, stat->return_address);
}

static const char *kind_of(const struct column_row *row)
{
	const struct lock_stat *stat = row->fact;

	return lock_kind_name((enum lock_kind)stat->lock.kind);
}

static void write_lock(struct record_writer *writer,
		       const struct column *column,
		       const struct column_row *row)
{
	const struct lock_stat *stat = row->fact;
	const struct lock_text lock = lock_name_text(&stat->lock);

	if (*lock.text)
		record_text(writer, column->name, lock.text);
	else
		record_absent(writer, column->name);
}

#define OF(member) MEMBER(struct lock_stat, member)

static const struct column columns[] = {
	GROUP_COLUMN(struct lock_stat, group),
	TEXT_COLUMN("kind", "kind of lock", NAMED(kind_of)),
	TEXT_COLUMN("lock", "address of the lock, or its name",
		    WRITTEN(write_lock)),
	TEXT_COLUMN("variable",
		    "the variable that contains the lock, such as rtnl_mutex",
		    WRITTEN(write_variable)),
	TEXT_COLUMN("inferred_member",
		    "which member of which of the kernel's structs the lock "
		    "is, inferred from the function's code",
		    NAMED(member_of)),
	PID_COLUMN(ID_MEMBER(struct lock_stat, lock.pid)),
	KERNEL_FUNCTION_COLUMN(struct lock_stat, function),
	COUNT_COLUMN(OF(waits.count)),
	TOTAL_COLUMN(OF(waits.total)),
	MEAN_COLUMN_OF(struct lock_stat, waits),
	MAX_COLUMN(OF(waits.max)),
	INT_COLUMN("waiters_at_begin",
		   "threads that already waited when it began to wait",
		   OF(others_at_begin)),
	INT_COLUMN("waiters_at_end", "threads that waited when it got the lock",
		   OF(others_at_end)),
	TEXT_COLUMN("released_by", "thread that released the lock, and where",
		    PRINTED(write_releases)),
	END_OF_COLUMNS,
};

static const struct table_need needs[] = {
	{ .columns = "locks", .event = RECORDED_KERNEL, .is_all = true },
	{ .columns = "the kernel's locks", .event = EVENT_LOCK_BEGIN },
	{ .columns = "file locks",
	  .event = EVENT_FILE_FLOCK,
	  .or_event = EVENT_FILE_POSIX },
	{ .columns = "which futex", .event = EVENT_SYS_ENTER },
	{ .columns = "released_by", .event = EVENT_SCHED_WAKING },
};

/* Names only the kinds of locks whose waits were recorded. */
static const char *none_text(const struct recorded *recorded)
{
	bool has_kernel = recorded_has(recorded, &needs[1]);
	bool has_files = recorded_has(recorded, &needs[2]);

	if (has_kernel && has_files)
		return "No lock was waited for";
	if (has_kernel)
		return "No futex and no lock of the kernel was waited for";
	return has_files ? "No futex and no lock of a file was waited for" :
			   "No futex was waited for";
}

static void explain(const struct locks_table *table, FILE *out)
{
	struct recorded recorded =
		recorded_of(table->input.recording, table->input.events);

	recorded_table(&table->input, needs, sizeof(needs) / sizeof(*needs),
		       table->stats.all.items.count, none_text(&recorded), out);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct locks_table *table = (struct locks_table *)handler;
	int status = lock_tracker_status(table->tracker);

	if (status)
		return status;
	lock_stats_sort(&table->stats);
	status = table_rows_show(output, &(struct table_rows)TABLE_ROWS(
						 &locks_table, table,
						 &table->stats.all.items));
	if (!status && output->format == RECORD_TABLE)
		explain(table, output->out);
	return status;
}

const struct attribution_table locks_table = {
	.name = "locks",
	.columns = columns,
	.help = "kernel locks, futexes and file locks that threads waited for, "
		"and which threads released them",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct locks_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &lock_records,
};
