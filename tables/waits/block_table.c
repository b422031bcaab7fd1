/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/task_choice.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
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
	bool has_files; /* record --args, which may have them */
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
	enum { SECTOR_BYTES = 512 };
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
	stat->bytes += io->range.sectors * SECTOR_BYTES;
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
	enum { MINOR_BITS = 20 };
	const struct block_stat *stat = ctx;

	fprintf(out, "%" PRIu64 ":%" PRIu64, stat->device >> MINOR_BITS,
		stat->device & ((1U << MINOR_BITS) - 1));
	return true;
}

static bool write_operation(FILE *out, const void *ctx)
{
	const struct block_stat *stat = ctx;

	fprintf(out, "%.*s", BLOCK_LETTERS, stat->letters);
	return true;
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct block_table *table = ctx;
	const struct block_stat *stat = array_at(&table->stats.items, index);
	const struct function_table *functions =
		symbols_functions(table->input.symbols);
	const struct table_rows rows = { writer,
					 writer->format == RECORD_TABLE };
	bool has_issue = table->is_issue_recorded;

	record_written(writer, "device", write_device, stat);
	record_written(writer, "operation", write_operation, stat);
	table_rows_process(writer, &table->input, stat->pid);
	record_text(writer, "function",
		    function_at(functions, stat->function)->name);
	table_rows_known(&rows, table->has_files, "inode", stat->inode);
	record_number(writer, "count", stat->times.count + stat->open);
	table_rows_known(&rows, has_issue, "merged", stat->merged);
	table_rows_known(&rows, has_issue, "requests", stat->requests);
	record_number(writer, "open", stat->open);
	record_number(writer, "inferred", stat->inferred);
	record_number(writer, "bytes", stat->bytes);
	record_number(writer, "total_ns", stat->times.total);
	table_rows_known(&rows, has_issue, "queue_ns", stat->queue_ns);
	table_rows_known(&rows, has_issue, "device_ns", stat->device_ns);
	record_number(writer, "mean_ns", histogram_mean(&stat->times));
	record_number(writer, "p99_ns", histogram_quantile(&stat->times, 0.99));
	record_number(writer, "max_ns", stat->times.max);
	record_number(writer, "sleeps", stat->sleeps);
	record_number(writer, "slept_ns", stat->slept_ns);
	table_rows_known(&rows, has_issue, "slept_queue_ns",
			 stat->slept_queue_ns);
	table_rows_known(&rows, has_issue, "slept_device_ns",
			 stat->slept_device_ns);
}

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
	int status = block_tracker_end(table->tracker);

	if (status)
		return status;
	array_sort(&table->stats.items, compare_stats);
	status = table_rows_render(output, write_row, table,
				   table->stats.items.count);
	if (!status && output->format == RECORD_TABLE)
		recorded_table(&table->input, needs,
			       sizeof(needs) / sizeof(*needs),
			       table->stats.items.count,
			       "No block device was used", output->out);
	return status;
}

const struct attribution_table block_table = {
	.name = "block",
	.columns =
		"group device operation pid comm function inode count merged "
		"requests open inferred bytes total_ns queue_ns device_ns "
		"mean_ns p99_ns max_ns sleeps slept_ns slept_queue_ns "
		"slept_device_ns",
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
