/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/text/duration_text.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/histogram.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"
#include "tables/waits/off_intervals.h"

#include <inttypes.h>
#include <stdio.h>

/* report --irqsoff and --preemptoff: the intervals without interrupts on a CPU, or
 * without preemption of its task. They are added up by cause and by the function
 * where they began, with the interrupts or threads that waited for their ends.
 */

enum { MOST_DELAYS = 3 };

/* Interrupts that waited for the ends of intervals, or a thread that they woke.
 */
struct delay_stat {
	uint32_t handler;
	int32_t tid; /* -1: the interrupts */
	uint64_t count;
	uint64_t most_ns;
};

struct off_stat {
	uint32_t kind;
	uint32_t function;
	int32_t pid;
	uint64_t inferred;
	uint64_t uncertain_ns; /* maximum error of the total */
	struct histogram times;
	struct off_interval longest;
	struct keyed_array delays; /* struct delay_stat by handler and tid */
};

struct irqsoff_table {
	struct event_handler handler;
	struct off_callback callback;
	struct attribution_input input;
	struct off_tracker *tracker;
	struct keyed_array stats; /* struct off_stat */
};

static struct off_stat *stat_of(struct irqsoff_table *table,
				const struct off_interval *interval)
{
	return keyed_array_add(
		&table->stats,
		&(struct off_stat){
			.kind = interval->kind,
			.function = interval->path[0],
			.pid = interval->task->pid,
			.times = HISTOGRAM_EMPTY,
			.delays = KEYED_ARRAY_OF(struct delay_stat, tid),
		});
}

static int add_delay(struct off_stat *stat, const struct off_delay *delay)
{
	struct delay_stat *sum = keyed_array_add(
		&stat->delays, &(struct delay_stat){ .handler = delay->handler,
						     .tid = delay->tid });

	if (!sum)
		return -ERROR_MEMORY;
	sum->count++;
	if (delay->ns > sum->most_ns)
		sum->most_ns = delay->ns;
	return 0;
}

static int consume_interval(struct off_callback *callback,
			    const struct off_interval *interval)
{
	struct irqsoff_table *table =
		container_of(callback, struct irqsoff_table, callback);
	uint64_t ns = interval->end_ns - interval->begin_ns;
	struct off_stat *stat;

	if (!table_wants(&table->input, interval->task, interval->begin_ns))
		return 0;
	stat = stat_of(table, interval);
	if (!stat || histogram_add(&stat->times, ns) < 0)
		return -ERROR_MEMORY;
	stat->inferred += interval->is_inferred;
	stat->uncertain_ns += interval->uncertain_ns;
	if (ns == stat->times.max)
		stat->longest = *interval;
	for (uint32_t i = 0; i < interval->delay_count; i++)
		if (add_delay(stat, &interval->delays[i]) < 0)
			return -ERROR_MEMORY;
	return 0;
}

static void close_table(struct event_handler *handler)
{
	struct irqsoff_table *table = (struct irqsoff_table *)handler;

	for (size_t i = 0; i < table->stats.items.count; i++) {
		struct off_stat *stat = array_at(&table->stats.items, i);

		histogram_free(&stat->times);
		keyed_array_free(&stat->delays);
	}
	keyed_array_free(&table->stats);
	off_tracker_free(table->tracker);
}

static bool
open_as(struct event_handler *handler, const struct attribution_input *input,
	struct off_tracker *(*make)(const struct attribution_input *input,
				    struct off_callback *callback))
{
	struct irqsoff_table *table = (struct irqsoff_table *)handler;

	table->callback.consume = consume_interval;
	table->input = *input;
	table->stats = KEYED_ARRAY_OF(struct off_stat, pid);
	table->tracker = make(&table->input, &table->callback);
	return table->tracker;
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	return open_as(handler, input, interrupts_off_tracker_new);
}

static bool open_preemption(struct event_handler *handler,
			    const struct attribution_input *input)
{
	return open_as(handler, input, preemption_off_tracker_new);
}

static const char *function_name(const struct column_row *row,
				 uint32_t function)
{
	return function_at(symbols_functions(row->input->symbols), function)
		->name;
}

/* Writes the function and callers of the longest interval: "path_lookup < open
 * < system call".
 */
static bool write_path(FILE *out, const void *ctx)
{
	const struct column_row *row = ctx;
	const struct off_stat *stat = row->fact;
	const struct off_interval *longest = &stat->longest;

	for (uint32_t i = 0; i < longest->count; i++)
		fprintf(out, "%s%s", i ? " < " : "",
			function_name(row, longest->path[i]));
	return true;
}

/* Writes "3 asm_common_interrupt at most 1.2 ms; 2 wakes-122 by asm_sysvec...
 * at most 40 us", in CSV and JSON in ns.
 */
static bool write_delays(FILE *out, const void *ctx)
{
	const struct column_row *row = ctx;
	const struct off_stat *stat = row->fact;
	const struct keyed_array *delays = &stat->delays;

	for (size_t i = 0; i < delays->items.count && i < MOST_DELAYS; i++) {
		const struct delay_stat *delay = array_at(&delays->items, i);

		fprintf(out, "%s%" PRIu64 " ", i ? "; " : "", delay->count);
		if (delay->tid >= 0)
			fprintf(out, "%s ",
				task_label_last(row->input->names, delay->tid)
					.text);
		if (delay->handler != FUNCTION_NONE)
			fprintf(out, "%s%s ", delay->tid < 0 ? "" : "by ",
				function_name(row, delay->handler));
		fputs("at most ", out);
		if (row->is_text)
			fputs(duration_text_of(delay->most_ns).text, out);
		else
			fprintf(out, "%" PRIu64, delay->most_ns);
	}
	return true;
}

static const char *kind_of(const struct column_row *row)
{
	const struct off_stat *stat = row->fact;

	return off_kind_name(stat->kind);
}

static uint64_t longest_ns(const struct column_row *row)
{
	const struct off_stat *stat = row->fact;

	return stat->longest.begin_ns -
	       (row->is_text ? row->input->origin_ns : 0);
}

#define OF(member) MEMBER(struct off_stat, member)

/* The columns of both tables. The meanings of three of them differ. */
#define OFF_COLUMNS(off_by, inferred_, delayed) \
	{ \
		TEXT_COLUMN("off_by", off_by, NAMED(kind_of)), \
			FUNCTION_COLUMN("function in which that was", \
					struct off_stat, function), \
			PID_COLUMN(OF(pid)), \
			COMM_COLUMN_OF(struct off_stat, pid), \
			MAX_COLUMN(OF(times.max)), \
			NS_COLUMN("max_at_ns", "when the longest began", \
				  COUNTED(longest_ns)), \
			COUNT_COLUMN(OF(times.count)), \
			TOTAL_COLUMN(OF(times.total)), \
			MEAN_COLUMN_OF(struct off_stat, times), \
			P99_COLUMN_OF(struct off_stat, times), \
			INT_COLUMN("inferred", inferred_, OF(inferred)), \
			NS_COLUMN("uncertain_ns", \
				  "bound of the total's error: the ends lie " \
				  "between packets", \
				  OF(uncertain_ns)), \
			TEXT_COLUMN("max_path", \
				    "function and callers of the longest", \
				    PRINTED(write_path)), \
			TEXT_COLUMN("delayed", delayed, \
				    PRINTED(write_delays)), \
			END_OF_COLUMNS, \
	}

static const struct column irqsoff_columns[] = OFF_COLUMNS(
	"what switched interrupts off: an instruction, or an interrupt, "
	"exception or system call that began",
	"intervals whose end or start restored a value that the trace does not "
	"show",
	"interrupts served at the end of an interval, and threads that they "
	"woke");

static const struct column preemptoff_columns[] = OFF_COLUMNS(
	"what preemption was first forbidden by: an instruction, softirq, "
	"interrupt",
	"always 0", "threads that ran once it ended");

static void sort_all(struct irqsoff_table *table)
{
	for (size_t i = 0; i < table->stats.items.count; i++) {
		struct off_stat *stat = array_at(&table->stats.items, i);

		array_sort_by(&stat->delays.items,
			      KEYS(FALLING(struct delay_stat, most_ns),
				   FALLING(struct delay_stat, tid)));
	}
	array_sort_by(&table->stats.items,
		      KEYS(FALLING(struct off_stat, times.max),
			   RISING(struct off_stat, pid)));
}

static const struct table_need needs[] = {
	{ .columns = "intervals with interrupts off",
	  .event = RECORDED_KERNEL,
	  .is_all = true },
	{ .columns = "delayed threads", .event = EVENT_SCHED_WAKING },
};

static void write_notes(const struct irqsoff_table *table, FILE *out)
{
	uint64_t contradictions = off_tracker_contradictions(table->tracker);

	if (!off_tracker_has_instructions(table->tracker) &&
	    table->stats.items.count) {
		fputs("Not known: this trace, or --engine, does not show the "
		      "instructions that switch interrupts off.\n",
		      out);
		return;
	}
	recorded_table(&table->input, needs, sizeof(needs) / sizeof(*needs),
		       table->stats.items.count,
		       "Interrupts were never switched off", out);
	if (contradictions)
		fprintf(out,
			"Left out, since an interrupt was served inside, so "
			"their start is not known: %" PRIu64 "\n",
			contradictions);
}

static int render_rows(struct irqsoff_table *table,
		       const struct attribution_table *of,
		       const struct attribution_output *output)
{
	struct table_rows rows = TABLE_ROWS(of, table, &table->stats.items);
	int status = off_tracker_end(table->tracker);

	if (status)
		return status;
	sort_all(table);
	rows.count = off_tracker_has_instructions(table->tracker) ?
			     table->stats.items.count :
			     0;
	return table_rows_show(output, &rows);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct irqsoff_table *table = (struct irqsoff_table *)handler;
	int status = render_rows(table, &irqsoff_table, output);

	if (!status && output->format == RECORD_TABLE)
		write_notes(table, output->out);
	return status;
}

const struct attribution_table irqsoff_table = {
	.name = "irqsoff",
	.columns = irqsoff_columns,
	.help = "time in which CPUs let no interrupts through: the longest, "
		"where, and which interrupts waited",
	.is_of_tasks = true,
	.size = sizeof(struct irqsoff_table),
	.open = open_table,
	.render = render,
	.close = close_table,
};

static void write_preemption_notes(const struct irqsoff_table *table, FILE *out)
{
	uint64_t contradictions = off_tracker_contradictions(table->tracker);

	if (!off_tracker_has_instructions(table->tracker)) {
		fputs("Not known: this kernel does not count (CONFIG_PREEMPT_COUNT), "
		      "or this trace, architecture or --engine does not show the "
		      "instructions that do.\n",
		      out);
		return;
	}
	recorded_table(&table->input, needs, sizeof(needs) / sizeof(*needs),
		       table->stats.items.count,
		       "Preemption was never switched off", out);
	if (contradictions)
		fprintf(out,
			"Left out, since the trace contradicts their counter: "
			"%" PRIu64 "\n",
			contradictions);
}

static int render_preemption(struct event_handler *handler,
			     const struct attribution_output *output)
{
	struct irqsoff_table *table = (struct irqsoff_table *)handler;
	int status = render_rows(table, &preemptoff_table, output);

	if (!status && output->format == RECORD_TABLE)
		write_preemption_notes(table, output->out);
	return status;
}

const struct attribution_table preemptoff_table = {
	.name = "preemptoff",
	.columns = preemptoff_columns,
	.help = "time in which tasks could not be preempted: the longest, where, "
		"and which threads waited (x86-64)",
	.is_of_tasks = true,
	.size = sizeof(struct irqsoff_table),
	.open = open_preemption,
	.render = render_preemption,
	.close = close_table,
};
