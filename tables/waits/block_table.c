/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/task_choice.h"
#include "tables/table.h"
#include "tables/text/histogram.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"
#include "tables/waits/block_io.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The I/Os of one device, operation and process that one function queued. */
struct block_stat {
	uint64_t device;
	char letters[BLOCK_LETTERS];
	uint64_t inode;
	int32_t pid; /* or a group of input.groups */
	uint32_t function;
	struct histogram times; /* of completed I/Os */
	uint64_t requests;
	uint64_t merged;
	uint64_t open;
	uint64_t inferred;
	uint64_t bytes;
	uint64_t queue_ns;
	uint64_t device_ns;
	uint64_t sleeps;
	uint64_t slept_ns;
	uint64_t slept_queue_ns;
	uint64_t slept_device_ns;
	/* maximum numbers of other waiters at the start and the end of a sleep
	 */
	uint32_t others_at_begin;
	uint32_t others_at_end;
};

/* report --block: the I/Os of block devices by the process and the function
 * that queued them, and the sleeps that their completions ended.
 */
struct block_table {
	struct event_handler handler;
	struct block_callback callback;
	struct attribution_input input;
	struct block_tracker *tracker;
	struct keyed_array stats; /* struct block_stat */
	bool is_issue_recorded;
	/* there are records of record --args, which may contain files */
	bool has_files;
};

/* Returns the row of @io; NULL when out of memory. */
static struct block_stat *stat_of(struct block_table *table,
				  const struct block_io *io)
{
	const struct task_groups *groups = table->input.groups;
	struct block_stat like = {
		.device = io->range.device,
		.inode = io->inode,
		.pid = groups ? task_groups_of(groups, &io->task) :
				io->task.pid,
		.function = io->function,
		.times = HISTOGRAM_EMPTY,
	};

	memcpy(like.letters, io->letters, sizeof(like.letters));
	return keyed_array_add(&table->stats, &like);
}

static int consume_io(struct block_callback *callback,
		      const struct block_io *io)
{
	struct block_table *table =
		container_of(callback, struct block_table, callback);
	struct block_stat *stat;

	if (!table_wants(&table->input, &io->task, io->queued_ns))
		return 0;
	stat = stat_of(table, io);
	if (!stat)
		return -ERROR_MEMORY;
	stat->requests += io->requests;
	stat->merged += io->is_merged;
	stat->inferred += io->is_inferred;
	stat->open += !io->completed_ns;
	stat->bytes += block_range_bytes(&io->range);
	if (!io->completed_ns)
		return 0;
	if (io->issued_ns) {
		stat->queue_ns += io->issued_ns - io->queued_ns;
		stat->device_ns += io->completed_ns - io->issued_ns;
	}
	return histogram_add(&stat->times, io->completed_ns - io->queued_ns);
}

static int consume_sleep(struct block_callback *callback,
			 const struct block_sleep *sleep)
{
	struct block_table *table =
		container_of(callback, struct block_table, callback);
	struct block_stat *stat;

	if (!table_wants(&table->input, &sleep->io->task, sleep->io->queued_ns))
		return 0;
	stat = stat_of(table, sleep->io);
	if (!stat)
		return -ERROR_MEMORY;
	stat->sleeps++;
	stat->slept_ns += sleep->asleep_ns;
	stat->slept_queue_ns += sleep->queue_ns;
	stat->slept_device_ns += sleep->device_ns;
	if (stat->others_at_begin < sleep->others_at_begin)
		stat->others_at_begin = sleep->others_at_begin;
	if (stat->others_at_end < sleep->others_at_end)
		stat->others_at_end = sleep->others_at_end;
	return 0;
}

static void close_table(struct event_handler *handler)
{
	struct block_table *table = (struct block_table *)handler;

	for (size_t i = 0; i < table->stats.items.count; i++) {
		struct block_stat *stat = array_at(&table->stats.items, i);

		histogram_free(&stat->times);
	}
	keyed_array_free(&table->stats);
	block_tracker_free(table->tracker);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct block_table *table = (struct block_table *)handler;

	table->callback.done = consume_io;
	table->callback.slept = consume_sleep;
	table->input = *input;
	table->stats = KEYED_ARRAY_OF(struct block_stat, function);
	table->is_issue_recorded =
		known_events_has(input->events, EVENT_REQUEST_ISSUE);
	table->has_files =
		known_events_has(input->events, EVENT_CALL_ARGUMENTS);
	table->tracker = block_tracker_new(&table->input, &table->callback);
	return table->tracker;
}

static bool write_device(FILE *out, const void *ctx)
{
	const struct block_stat *stat = ((const struct column_row *)ctx)->fact;

	fprintf(out, "%" PRIu64 ":%" PRIu64, device_major(stat->device),
		device_minor(stat->device));
	return true;
}

static bool write_operation(FILE *out, const void *ctx)
{
	const struct block_stat *stat = ((const struct column_row *)ctx)->fact;

	fprintf(out, "%.*s", BLOCK_LETTERS, stat->letters);
	return true;
}

static uint64_t count_of(const struct column_row *row)
{
	const struct block_stat *stat = row->fact;

	return stat->times.count + stat->open;
}

#define OF(member) MEMBER(struct block_stat, member)
#define IF_ISSUED KNOWN_BY(struct block_table, is_issue_recorded)

static const struct column columns[] = {
	TEXT_COLUMN("device", "block device, as major:minor",
		    PRINTED(write_device)),
	TEXT_COLUMN("operation", "its letters as in blktrace: R, WS, FWFS",
		    PRINTED(write_operation)),
	PROCESS_COLUMNS(struct block_stat, pid),
	FUNCTION_COLUMN("function that called the block layer",
			struct block_stat, function),
	INT_COLUMN("inode", "number of the file, by record --args=block_files",
		   OF(inode), KNOWN_BY(struct block_table, has_files)),
	COUNT_COLUMN(COUNTED(count_of)),
	INT_COLUMN("merged", "I/Os that joined the request of an earlier one",
		   OF(merged), IF_ISSUED),
	INT_COLUMN("requests", "requests that were sent to the device",
		   OF(requests), IF_ISSUED),
	INT_COLUMN("open", "I/Os whose completion was not recorded", OF(open)),
	INT_COLUMN("inferred",
		   "I/Os that the events do not distinguish from another one",
		   OF(inferred)),
	BYTES_COLUMN("bytes", "size of them all", OF(bytes)),
	TOTAL_COLUMN(OF(times.total)),
	NS_COLUMN("queue_ns", "until the device got them", OF(queue_ns),
		  IF_ISSUED),
	NS_COLUMN("device_ns", "from then until they were complete",
		  OF(device_ns), IF_ISSUED),
	MEAN_COLUMN_OF(struct block_stat, times),
	P99_COLUMN_OF(struct block_stat, times),
	MAX_COLUMN(OF(times.max)),
	INT_COLUMN("sleeps", "sleeps that their completion ended", OF(sleeps)),
	NS_COLUMN("slept_ns", "duration of these sleeps", OF(slept_ns)),
	NS_COLUMN("slept_queue_ns", "of these, while the I/O was in the queue",
		  OF(slept_queue_ns), IF_ISSUED),
	NS_COLUMN("slept_device_ns", "of these, while the device had it",
		  OF(slept_device_ns), IF_ISSUED),
	INT_COLUMN("waiters_at_begin",
		   "threads that already waited for the same I/O when such a "
		   "sleep started",
		   OF(others_at_begin)),
	INT_COLUMN("waiters_at_end",
		   "threads that still waited for it when the completion woke "
		   "one of them",
		   OF(others_at_end)),
	END_OF_COLUMNS,
};

static const struct table_need needs[] = {
	{ .columns = "I/O of block devices",
	  .event = EVENT_BIO_QUEUE,
	  .is_all = true },
	{ .columns = "merged, requests, queue_ns, device_ns, slept_queue_ns, "
		     "slept_device_ns",
	  .event = EVENT_REQUEST_ISSUE },
	{ .columns = "function, sleeps", .event = RECORDED_KERNEL },
	{ .columns = "sleeps", .event = EVENT_SCHED_WAKING },
};

static int compare_stats(const void *a, const void *b)
{
	const struct block_stat *x = a;
	const struct block_stat *y = b;

	if (x->times.total != y->times.total)
		return x->times.total > y->times.total ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return memcmp(x, y, offsetof(struct block_stat, times));
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct block_table *table = (struct block_table *)handler;
	int status = block_tracker_end(table->tracker, true);

	if (status)
		return status;
	array_sort(&table->stats.items, compare_stats);
	return table_rows_show(
		output, &(struct table_rows)TABLE_ROWS(&block_table, table,
						       &table->stats.items));
}

const struct attribution_table block_table = {
	.name = "block",
	.columns = columns,
	TABLE_NEEDS(needs, "No block device was used"),
	.brief =
		"group,device,operation,pid,comm,function,inode,count,merged,bytes,"
		"queue_ns,device_ns,max_ns,slept_ns",
	.help = "I/O of block devices: who queued it, time in the queue and in "
		"the device, and sleeps until it was complete",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct block_table),
	.open = open_table,
	.render = render,
	.close = close_table,
};
