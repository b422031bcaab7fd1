/* SPDX-License-Identifier: MIT */
#include "tables/waits/runqueue_table_internal.h"

#include "attribution/allowed_cpus.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/table_records.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "report/text/duration_text.h"
#include "report/text/task_names.h"
#include "tables/table.h"
#include "tables/text/histogram.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"
#include "tables/waits/runqueue_records_internal.h"

#include <inttypes.h>

void wait_stats_free(struct wait_stats *stats)
{
	for (size_t i = 0; i < stats->rows.items.count; i++) {
		struct wait_stat *stat = array_at(&stats->rows.items, i);

		histogram_free(&stat->waits);
		keyed_array_free(&stat->instead);
	}
	keyed_array_free(&stats->rows);
	histogram_free(&stats->all);
}

static struct wait_stat *stat_of(struct wait_stats *stats, uint32_t row,
				 int32_t pid, int32_t tid)
{
	struct wait_stat *stat = keyed_array_add(
		&stats->rows,
		&(struct wait_stat){
			.row = row,
			.pid = pid,
			.waits = HISTOGRAM_EMPTY,
			.instead = KEYED_ARRAY_OF(struct run_instead, tid),
		});

	if (stat)
		stat->tid = tid;
	return stat;
}

static int add_instead(void *ctx, int32_t tid, uint64_t ns)
{
	struct wait_stat *stat = ctx;
	struct run_instead *item;

	if (!tid)
		stat->idle_ns += ns;
	if (!tid || tid == stat->tid)
		return 0;
	item = keyed_array_add(&stat->instead,
			       &(struct run_instead){ .tid = tid });
	if (!item)
		return -ERROR_MEMORY;
	item->ns += ns;
	return 0;
}

int wait_stats_add(struct wait_stats *stats, uint32_t row, int32_t pid,
		   const struct cpu_wait *wait, const struct cpu_runs *runs)
{
	struct wait_stat *stat = stat_of(stats, row, pid, wait->task->tid);
	uint64_t ns = wait->end_ns - wait->begin_ns;
	uint64_t idle_ns;

	if (!stat || histogram_add(&stat->waits, ns) < 0 ||
	    histogram_add(&stats->all, ns) < 0 ||
	    cpu_runs_idle_elsewhere(runs, wait->cpu, wait->begin_ns,
				    wait->end_ns, &idle_ns) < 0)
		return -ERROR_MEMORY;
	stat->preempted += wait->was_running;
	stat->recorder_ns += wait->recorder_ns;
	stat->throttled_ns += wait->throttled_ns;
	stat->idle_elsewhere_ns += idle_ns;
	stat->affinity_ns += wait->affinity_ns;
	return cpu_runs_between(runs, wait->cpu, wait->begin_ns, wait->end_ns,
				add_instead, stat);
}

void wait_stats_sort(struct wait_stats *stats)
{
	struct wait_stat *items = stats->rows.items.items;

	for (size_t i = 0; i < stats->rows.items.count; i++)
		array_sort_by(&items[i].instead.items,
			      KEYS(FALLING(struct run_instead, ns),
				   RISING(struct run_instead, tid)));
	array_sort_by(&stats->rows.items,
		      KEYS(FALLING(struct wait_stat, waits.total),
			   RISING(struct wait_stat, tid)));
}

/* report --runqueue: how long each thread waited for a CPU, and the threads
 * that ran instead.
 */
struct runqueue_table {
	struct event_handler handler;
	struct span_callback callback;
	struct attribution_input input;
	struct cpu_runs runs;
	struct cpu_waits waits;
	struct wait_stats stats;
	struct runqueue_records records;
	struct allowed_cpus *allowed;
	struct array affinity; /* of the wait that is being emitted */
	bool has_affinity;     /* the recording has it */
	int status;
};

/* Maximum number of threads that ran instead in a row. */
enum { MOST_INSTEAD = 3 };

static int count_wait(void *ctx, const struct cpu_wait *wait)
{
	struct runqueue_table *table = ctx;
	const struct task_groups *groups = table->input.groups;
	int32_t group = groups ? task_groups_of(groups, wait->task) : 0;
	struct cpu_wait part = *wait;

	if (!cpu_wait_cut(&part, table->input.window) ||
	    !table_wants(&table->input, part.task, part.begin_ns))
		return 0;
	if (groups)
		return wait_stats_add(&table->stats, (uint32_t)group, group,
				      &part, &table->runs);
	return wait_stats_add(&table->stats, part.task->index, part.task->pid,
			      &part, &table->runs);
}

static int consume_wait(void *ctx, const struct cpu_wait *wait)
{
	struct runqueue_table *table = ctx;
	struct cpu_wait whole = *wait;
	int status;

	table->affinity.count = 0;
	status = cpu_runs_forbidden(&table->runs, table->allowed, wait,
				    &table->affinity);
	if (status)
		return status;
	whole.affinity = table->affinity;
	if (table->records.writer)
		runqueue_records_keep_wait(&table->records, &whole);
	return count_wait(ctx, &whole);
}

static void consume_run(void *ctx, uint32_t cpu, const struct cpu_run *run)
{
	const struct runqueue_table *table = ctx;

	if (table->records.writer)
		runqueue_records_keep_run(&table->records, cpu, run);
}

static void note(struct runqueue_table *table, int status)
{
	if (status < 0)
		table->status = status;
}

static void consume_span(struct span_callback *callback,
			 const struct time_span *span)
{
	struct runqueue_table *table =
		container_of(callback, struct runqueue_table, callback);

	note(table, cpu_waits_span(&table->waits, span));
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct runqueue_table *table = (struct runqueue_table *)handler;

	note(table, cpu_runs_consume(&table->runs, step));
}

static void close_table(struct event_handler *handler)
{
	struct runqueue_table *table = (struct runqueue_table *)handler;

	cpu_runs_free(&table->runs);
	cpu_waits_free(&table->waits);
	wait_stats_free(&table->stats);
	runqueue_records_free(&table->records);
	array_free(&table->affinity);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct runqueue_table *table = (struct runqueue_table *)handler;

	table->handler.step = consume_step;
	table->handler.needs = event_handler_needs_no_calls;
	table->callback.consume = consume_span;
	table->input = *input;
	table->runs = CPU_RUNS_NONE;
	table->runs.ended = consume_run;
	table->runs.ctx = table;
	table->records = RUNQUEUE_RECORDS_NONE;
	table->waits = cpu_waits_of(consume_wait, table);
	table->stats = WAIT_STATS_NONE;
	table->affinity = ARRAY_OF(struct time_window);
	table->allowed = trackers_allowed_cpus(input->trackers);
	if (!table->allowed)
		return false;
	table->has_affinity = allowed_cpus_is_recorded(table->allowed);
	return !thread_tracker_hand_spans(trackers_threads(input->trackers),
					  &table->callback, TIME_WINDOW_ALL);
}

/* Writes the threads that ran instead: "19.0 ms hog-144; 207 us
 * ksoftirqd/0-17"; in CSV and JSON in ns.
 */
static bool write_instead(FILE *out, const void *ctx)
{
	const struct column_row *row = ctx;
	const struct wait_stat *stat = row->fact;

	for (size_t i = 0; i < stat->instead.items.count && i < MOST_INSTEAD;
	     i++) {
		const struct run_instead *item =
			array_at(&stat->instead.items, i);
		const char *between = i ? "; " : "";
		struct task_label label =
			task_label_last(row->input->names, item->tid);

		if (row->is_text)
			fprintf(out, "%s%s %s", between,
				duration_text_of(item->ns).text, label.text);
		else
			fprintf(out, "%s%" PRIu64 " %s", between, item->ns,
				label.text);
	}
	return true;
}

#define OF(member) MEMBER(struct wait_stat, member)

static const struct column columns[] = {
	GROUP_COLUMN(struct wait_stat, pid),
	PID_COLUMN(OF(pid), .rows = COLUMN_OF_TASKS),
	TID_COLUMN(OF(tid), .rows = COLUMN_OF_TASKS),
	COMM_COLUMN(WRITTEN_OF(column_write_comm, struct wait_stat, tid),
		    .rows = COLUMN_OF_TASKS),
	COUNT_COLUMN(OF(waits.count)),
	INT_COLUMN("preempted", "times that it lost its CPU to another thread",
		   OF(preempted)),
	TOTAL_COLUMN(OF(waits.total)),
	MEAN_COLUMN_OF(struct wait_stat, waits),
	MEDIAN_COLUMN_OF(struct wait_stat, waits),
	P99_COLUMN_OF(struct wait_stat, waits),
	MAX_COLUMN(OF(waits.max)),
	NS_COLUMN("recorder_ns", "while the recorder used the CPU",
		  OF(recorder_ns)),
	THROTTLED_COLUMN(OF(throttled_ns)),
	NS_COLUMN("idle_ns", "while the CPU had nothing to run", OF(idle_ns)),
	NS_COLUMN("idle_elsewhere_ns", "while another CPU had nothing to run",
		  OF(idle_elsewhere_ns)),
	NS_COLUMN("affinity_ns",
		  "part of idle_elsewhere: its affinity did not allow the "
		  "idle CPUs",
		  OF(affinity_ns),
		  KNOWN_BY(struct runqueue_table, has_affinity)),
	TEXT_COLUMN("instead", "threads that used the CPU meanwhile",
		    PRINTED(write_instead)),
	END_OF_COLUMNS,
};

static int draw_all(const struct runqueue_table *table, FILE *out)
{
	if (!table->stats.all.count)
		return 0;
	fputs("\nAll waits for a CPU:\n", out);
	return histogram_bars_draw(&table->stats.all, out);
}

static const struct table_need needs[] = {
	{ .columns = "waits for a CPU",
	  .event = EVENT_SCHED_SWITCH,
	  .is_all = true },
	{ .columns = "waits after a sleep", .event = EVENT_SCHED_WAKING },
};

/* Writes why affinities, or some changes of them, are unknown. */
static void explain_affinity(const struct runqueue_table *table, FILE *out)
{
	uint64_t calls = allowed_cpus_unknown_calls(table->allowed);

	if (table->stats.rows.items.count && !table->has_affinity)
		fputs("Not recorded: affinity: the recording has no list of "
		      "the CPUs that threads may use (ktrace-hw record).\n",
		      out);
	else if (calls)
		fprintf(out,
			"Not known: affinity: what %" PRIu64
			" calls of sched_setaffinity(2) changed (record "
			"--syscall-data).\n",
			calls);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct runqueue_table *table = (struct runqueue_table *)handler;
	int status = runqueue_records_emit(&table->records, count_wait, table);

	if (!status)
		status = cpu_waits_end(&table->waits);
	if (!status)
		status = table->status;
	if (status)
		return status;
	wait_stats_sort(&table->stats);
	status = table_rows_show(output, &(struct table_rows)TABLE_ROWS(
						 &runqueue_table, table,
						 &table->stats.rows.items));
	if (status || output->format != RECORD_TABLE)
		return status;
	status = draw_all(table, output->out);
	if (!status)
		recorded_table(&table->input, needs,
			       sizeof(needs) / sizeof(*needs),
			       table->stats.rows.items.count,
			       "No thread waited for a CPU", output->out);
	if (!status)
		explain_affinity(table, output->out);
	return status;
}

static void pack_rest(struct event_handler *handler, struct pack *pack)
{
	struct runqueue_table *table = (struct runqueue_table *)handler;

	runqueue_records_pack_last(&table->records, &table->runs,
				   table->allowed, &table->waits, pack);
	/* Waits that are emitted at the end were just written. */
	table->records.writer = NULL;
}

static void consume_record(struct event_handler *handler, struct pack *pack)
{
	struct runqueue_table *table = (struct runqueue_table *)handler;

	runqueue_records_read(&table->records, &table->runs, pack);
}

static const struct table_records records = {
	.name = "runqueue",
	.writer = offsetof(struct runqueue_table, records.writer),
	.pack_rest = pack_rest,
	.consume = consume_record,
	.wanted = table_records_overlap,
};

const struct attribution_table runqueue_table = {
	.name = "runqueue",
	.columns = columns,
	.help = "how long each thread waited for a CPU, and which threads ran "
		"instead",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct runqueue_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &records,
};
