/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleeps.h"
#include "attribution/sleeps/wakers.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/kept_file.h"
#include "report/profile/call_tree.h"
#include "report/steps/call_step.h"
#include "report/steps/step_filter.h"
#include "report/steps/task_groups.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/sleeps/idle_sleep.h"
#include "tables/sleeps/sleep_pack.h"
#include "tables/sleeps/sleeps_table_parts.h"
#include "tables/table_records.h"
#include "tables/text/table_rows.h"

/* Tasks that the user chose are shown whatever they wait for. */
static bool is_left_out(const struct sleeps_table *table,
			const struct sleep *sleep)
{
	return !table->input.with_idle &&
	       !step_filter_has_tasks(table->input.filter) &&
	       is_idle_sleep(sleep, task_tracker_stacks(table->tracker),
			     symbols_functions(table->input.symbols),
			     table->input.names);
}

static struct sleep_numbers numbers_of(const struct sleeps_table *table)
{
	const struct task_tracker *tracker = table->tracker;

	return (struct sleep_numbers){
		.functions = function_count(sleeps_table_functions(table)),
		.stacks = call_tree_count(task_tracker_stacks(tracker)),
		.wakers = (uint32_t)task_tracker_wakers(tracker)
				  ->chains.items.count,
	};
}

static void keep_sleep(const struct sleeps_table *table,
		       const struct sleep *sleep)
{
	const struct kept_span span =
		kept_span_of(sleep->begin_ns, sleep->begin_ns);
	const struct sleep_numbers numbers = numbers_of(table);
	struct sleep kept = *sleep;
	struct task task;

	sleep_pack(kept_file_writer_pack(table->writer), &kept, &task,
		   &numbers);
	kept_file_writer_add(table->writer, &span);
}

static int count_sleep(struct sleeps_table *table, const struct sleep *sleep)
{
	const struct task_groups *groups = table->input.groups;

	if (!table_wants(&table->input, sleep->task, sleep->begin_ns))
		return 0;
	if (is_left_out(table, sleep)) {
		table->idle_count++;
		table->idle_ns += sleep->asleep_ns;
		return 0;
	}
	return sleep_stats_add(&table->stats,
			       groups ? task_groups_of(groups, sleep->task) :
					sleep_stats_process(sleep),
			       sleep);
}

static int take_sleep(struct task_listener *listener, const struct sleep *sleep)
{
	struct sleeps_table *table =
		container_of(listener, struct sleeps_table, listener);

	if (table->writer)
		keep_sleep(table, sleep);
	return count_sleep(table, sleep);
}

static void keep(struct event_handler *handler, struct kept_file_writer *writer)
{
	struct sleeps_table *table = (struct sleeps_table *)handler;

	table->writer = writer;
}

static void take_record(struct event_handler *handler, struct pack *pack)
{
	struct sleeps_table *table = (struct sleeps_table *)handler;
	const struct sleep_numbers numbers = numbers_of(table);
	struct sleep sleep = { 0 };
	struct task task = { 0 };

	sleep_pack(pack, &sleep, &task, &numbers);
	if (!pack->failed && count_sleep(table, &sleep) < 0)
		table->status = -ERROR_MEMORY;
}

static void pack_rest(struct event_handler *handler, struct pack *pack)
{
	const struct sleeps_table *table = (const struct sleeps_table *)handler;

	task_tracker_pack_numbers(table->tracker, pack);
}

static void close_table(struct event_handler *handler)
{
	struct sleeps_table *table = (struct sleeps_table *)handler;

	sleep_stats_free(&table->stats);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct sleeps_table *table = (struct sleeps_table *)handler;

	table->listener.slept = take_sleep;
	table->input = *input;
	table->stats = SLEEP_STATS_NONE;
	table->tracker = trackers_tasks(input->trackers, &table->listener);
	return table->tracker;
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct sleeps_table *table = (struct sleeps_table *)handler;

	if (table->status < 0)
		return table->status;
	sleep_stats_sort(&table->stats);
	return sleeps_show(table, output);
}

static const struct table_records records = {
	.name = "sleeps",
	.keep = keep,
	.pack_rest = pack_rest,
	.take = take_record,
	.wanted = table_records_begin_in,
};

const struct attribution_table sleeps_table = {
	.name = "sleeps",
	.columns = "group pid comm label count total_ns mean_ns max_ns "
		   "runnable_ns cut cut_ns stack user_stack wakers fds",
	.help = "where each process slept, for how long, and its wakers",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct sleeps_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &records,
};
