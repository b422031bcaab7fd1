/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/text/duration_text.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/histogram.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"
#include "tables/waits/spins.h"

#include <inttypes.h>
#include <stdio.h>

/* report --spins: the waits of CPUs for other CPUs, added up by process,
 * function and kind.
 */

enum { MOST_ENDS = 3 };

/* The thread that ended waits, and its function then. */
struct spin_end {
	int32_t tid;
	uint32_t function; /* see struct spin_wait */
	uint64_t count;
	uint64_t total_ns;
};

/* The sums of all waits of a process in a function. */
struct spin_stat {
	uint32_t kind;
	uint32_t function;
	int32_t pid;
	struct histogram waits;
	struct keyed_array ends; /* struct spin_end by tid and function */
};

struct spins_table {
	struct event_handler handler;
	struct spin_callback callback;
	struct attribution_input input;
	struct spin_tracker *tracker;
	struct keyed_array stats; /* struct spin_stat */
};

static int add_end(struct spin_stat *stat, const struct spin_wait *wait)
{
	struct spin_end *end;

	if (wait->end_tid < 0)
		return 0;
	end = keyed_array_add(&stat->ends,
			      &(struct spin_end){
				      .tid = wait->end_tid,
				      .function = wait->end_function,
			      });
	if (!end)
		return -ERROR_MEMORY;
	end->count++;
	end->total_ns += wait->own_ns;
	return 0;
}

static int consume_wait(struct spin_callback *callback,
			const struct spin_wait *wait)
{
	struct spins_table *table =
		container_of(callback, struct spins_table, callback);
	struct spin_stat *stat;

	if (!table_wants(&table->input, wait->task, wait->begin_ns))
		return 0;
	stat = keyed_array_add(
		&table->stats,
		&(struct spin_stat){
			.kind = wait->kind,
			.function = wait->function,
			.pid = wait->task->pid,
			.waits = HISTOGRAM_EMPTY,
			.ends = KEYED_ARRAY_OF(struct spin_end, function),
		});
	if (!stat || histogram_add(&stat->waits, wait->own_ns) < 0)
		return -ERROR_MEMORY;
	return add_end(stat, wait);
}

static void close_table(struct event_handler *handler)
{
	struct spins_table *table = (struct spins_table *)handler;

	for (size_t i = 0; i < table->stats.items.count; i++) {
		struct spin_stat *stat = array_at(&table->stats.items, i);

		histogram_free(&stat->waits);
		keyed_array_free(&stat->ends);
	}
	keyed_array_free(&table->stats);
	spin_tracker_free(table->tracker);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct spins_table *table = (struct spins_table *)handler;

	table->callback.consume = consume_wait;
	table->input = *input;
	table->stats = KEYED_ARRAY_OF(struct spin_stat, pid);
	table->tracker = spin_tracker_new(&table->input, &table->callback);
	return table->tracker;
}

/* Writes "6.1 ms delays-122 in user space; 10 us cc1-9 in kfree", in CSV and
 * JSON in ns.
 */
static bool write_ends(FILE *out, const void *ctx)
{
	const struct column_row *row = ctx;
	const struct spin_stat *stat = row->fact;
	const struct keyed_array *ends = &stat->ends;
	const struct attribution_input *input = row->input;
	const struct function_table *functions =
		symbols_functions(input->symbols);

	for (size_t i = 0; i < ends->items.count && i < MOST_ENDS; i++) {
		const struct spin_end *end = array_at(&ends->items, i);

		if (row->is_text)
			fprintf(out, "%s%s", i ? "; " : "",
				duration_text_of(end->total_ns).text);
		else
			fprintf(out, "%s%" PRIu64, i ? "; " : "",
				end->total_ns);
		fprintf(out, " %s in %s",
			task_label_last(input->names, end->tid).text,
			end->function == FUNCTION_NONE ?
				"user space" :
				function_at(functions, end->function)->name);
	}
	return true;
}

static const char *kind_of(const struct column_row *row)
{
	const struct spin_stat *stat = row->fact;

	return spin_kind_name(stat->kind);
}

#define OF(member) MEMBER(struct spin_stat, member)

static const struct column columns[] = {
	TEXT_COLUMN("kind", "what was waited for", NAMED(kind_of)),
	FUNCTION_COLUMN("function that waited, or made a call that did",
			struct spin_stat, function),
	INT_COLUMN("pid", "process that waited", OF(pid)),
	COMM_COLUMN_OF(struct spin_stat, pid),
	COUNT_COLUMN(OF(waits.count)),
	TOTAL_COLUMN(OF(waits.total)),
	MEAN_COLUMN_OF(struct spin_stat, waits),
	P99_COLUMN_OF(struct spin_stat, waits),
	MAX_COLUMN(OF(waits.max)),
	TEXT_COLUMN("ended_by",
		    "threads that answered or released, and the function they "
		    "were in",
		    PRINTED(write_ends)),
	END_OF_COLUMNS,
};

static void sort_all(struct spins_table *table)
{
	for (size_t i = 0; i < table->stats.items.count; i++) {
		struct spin_stat *stat = array_at(&table->stats.items, i);

		array_sort_by(&stat->ends.items,
			      KEYS(FALLING(struct spin_end, total_ns),
				   RISING(struct spin_end, tid)));
	}
	array_sort_by(&table->stats.items,
		      KEYS(FALLING(struct spin_stat, waits.total),
			   RISING(struct spin_stat, pid)));
}

static const struct table_need needs[] = {
	{ .columns = "waits of CPUs for other CPUs",
	  .event = RECORDED_KERNEL,
	  .is_all = true },
};

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct spins_table *table = (struct spins_table *)handler;
	int status = spin_tracker_end(table->tracker);

	if (status)
		return status;
	sort_all(table);
	return table_rows_show(
		output, &(struct table_rows)TABLE_ROWS(&spins_table, table,
						       &table->stats.items));
}

const struct attribution_table spins_table = {
	.name = "spins",
	.columns = columns,
	TABLE_NEEDS(needs, "No CPU waited for another one"),
	.help = "time in which CPUs waited for other CPUs without sleeping: "
		"for interrupts that they sent, and locks",
	.is_of_tasks = true,
	.size = sizeof(struct spins_table),
	.open = open_table,
	.render = render,
	.close = close_table,
};
