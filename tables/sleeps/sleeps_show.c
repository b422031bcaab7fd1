/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "report/steps/task_groups.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "report/text/task_label.h"
#include "tables/sleeps/sleeps_table_parts.h"
#include "tables/text/recorded.h"
#include "tables/text/sleep_text.h"
#include "tables/text/stack_text.h"
#include "tables/text/table_rows.h"

#include "common/array.h"
#include <inttypes.h>
#include <stdlib.h>

/* Maximum number of waker chains in a row. */
enum { MAX_WAKERS = 5 };

/* Maximum number of wakers of a chain in text. */
enum { MAX_CHAIN = 6 };

/* Writes "3x prog-7 pipe_write", with at most @most wakers of the chain. */
static void write_waker(const struct sleeps_table *table,
			const struct waker_stat *waker, uint32_t most,
			FILE *out)
{
	fprintf(out, "%" PRIu64 "x ", waker->count);
	wakers_write_any(task_tracker_wakers(table->tracker), waker->waker,
			 most, sleeps_table_functions(table),
			 table->input.names, out);
}

/* Context of the fields that are formatted while a row is written. */
struct sleeps_row {
	const struct sleeps_table *table;
	const struct sleep_stat *stat;
};

static void write_node(const struct sleeps_table *table, uint32_t node,
		       FILE *out)
{
	stack_text_write(task_tracker_stacks(table->tracker), node,
			 sleeps_table_functions(table), out);
}

static bool write_stack(FILE *out, const void *ctx)
{
	const struct sleeps_row *row = ctx;

	write_node(row->table, row->stat->stack, out);
	return true;
}

static bool write_user_stack(FILE *out, const void *ctx)
{
	const struct sleeps_row *row = ctx;

	write_node(row->table, row->stat->user_stack, out);
	return true;
}

/* "3x prog-7 pipe_write; 1x interrupt ..." */
static bool write_wakers(FILE *out, const void *ctx)
{
	const struct sleeps_row *row = ctx;
	const struct array *wakers = &row->stat->wakers.items;

	for (size_t i = 0; i < wakers->count && i < MAX_WAKERS; i++) {
		fputs(i ? "; " : "", out);
		write_waker(row->table, array_at(wakers, i), UINT32_MAX, out);
	}
	return true;
}

/* Writes "3 12x; 0 1x": the descriptors. */
static bool write_fds(FILE *out, const void *ctx)
{
	const struct sleeps_row *row = ctx;
	const struct array *fds = &row->stat->fds.items;

	for (size_t i = 0; i < fds->count && i < MAX_WAKERS; i++) {
		const struct waker_stat *fd = array_at(fds, i);

		fprintf(out, "%s%" PRIu32 " %" PRIu64 "x", i ? "; " : "",
			fd->waker, fd->count);
	}
	return true;
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct sleeps_table *table = ctx;
	const struct sleep_stat *stat = sleep_stats_at(&table->stats, index);
	const struct sleeps_row row = { table, stat };

	table_rows_process(writer, &table->input, stat->pid);
	record_text(writer, "label",
		    sleep_label_name(sleeps_table_functions(table),
				     stat->label));
	record_number(writer, "count", stat->count);
	record_number(writer, "total_ns", stat->total_ns);
	record_number(writer, "mean_ns",
		      stat->count ? stat->total_ns / stat->count : 0);
	record_number(writer, "max_ns", stat->max_ns);
	record_number(writer, "runnable_ns", stat->runnable_ns);
	record_number(writer, "cut", stat->cut);
	record_number(writer, "cut_ns", stat->cut_ns);
	record_written(writer, "stack", write_stack, &row);
	if (known_events_has_user_stacks(table->input.events))
		record_written(writer, "user_stack", write_user_stack, &row);
	else
		record_absent(writer, "user_stack");
	record_written(writer, "wakers", write_wakers, &row);
	if (known_events_has(table->input.events, EVENT_SYS_ENTER))
		record_written(writer, "fds", write_fds, &row);
	else
		record_absent(writer, "fds");
}

static void print_numbers(const struct sleep_stat *stat, FILE *out)
{
	if (stat->count)
		fprintf(out,
			"    %" PRIu64 " times, %s, mean %s, max %s; then "
			"runnable %s\n",
			stat->count, duration_text_of(stat->total_ns).text,
			duration_text_of(stat->total_ns / stat->count).text,
			duration_text_of(stat->max_ns).text,
			duration_text_of(stat->runnable_ns).text);
	if (stat->cut)
		fprintf(out, "    %" PRIu64 " times cut by the recording, %s\n",
			stat->cut, duration_text_of(stat->cut_ns).text);
}

static void print_stack(const struct sleeps_table *table, const char *name,
			uint32_t stack, FILE *out)
{
	stack_text_lines(task_tracker_stacks(table->tracker), stack,
			 sleeps_table_functions(table), name, out);
}

/* Stacks are too long for rows of one line. */
static void print_row(const struct sleeps_table *table,
		      const struct sleep_stat *stat, FILE *out)
{
	if (table->input.groups)
		name_write(
			out, NAME_TEXT,
			task_groups_label(table->input.groups, stat->pid).text);
	else
		task_label_write_last(table->input.names, stat->pid, out);
	fputs("  ", out);
	name_write(out, NAME_TEXT,
		   sleep_label_name(sleeps_table_functions(table),
				    stat->label));
	fputs("\n", out);
	print_numbers(stat, out);
	for (size_t i = 0; i < stat->wakers.items.count && i < MAX_WAKERS;
	     i++) {
		fputs("    woken by  ", out);
		write_waker(table, array_at(&stat->wakers.items, i), MAX_CHAIN,
			    out);
		fputs("\n", out);
	}
	if (stat->fds.items.count) {
		fputs("    on fd     ", out);
		write_fds(out, &(struct sleeps_row){ table, stat });
		fputs("\n", out);
	}
	print_stack(table, "kernel", stat->stack, out);
	print_stack(table, "user", stat->user_stack, out);
	fputs("\n", out);
}

static void say_idle(const struct sleeps_table *table, FILE *out)
{
	if (table->idle_count)
		fprintf(out,
			"Left out: kernel threads that waited for work or for "
			"their time, %" PRIu64 " times, %s (--with-idle).\n%s",
			table->idle_count,
			duration_text_of(table->idle_ns).text,
			out == stderr ? "" : "\n");
}

static int print_rows(const struct sleeps_table *table,
		      const struct attribution_output *output)
{
	uint64_t count = sleep_stats_count(&table->stats);
	uint64_t *order;
	int status = table_rows_order(output, write_row, table, count, &order);

	for (uint64_t i = 0; !status && i < count && i < output->top; i++)
		print_row(table, sleep_stats_at(&table->stats, order[i]),
			  output->out);
	free(order);
	return status;
}

static const struct table_need needs[] = {
	{ .columns = "sleeps", .event = EVENT_SCHED_SWITCH, .is_all = true },
	{ .columns = "sleeps and their wakers",
	  .event = EVENT_SCHED_WAKING,
	  .is_all = true },
	{ .columns = "user_stack", .event = RECORDED_USER_STACKS },
	{ .columns = "fds", .event = EVENT_SYS_ENTER },
};

static void explain(const struct sleeps_table *table, FILE *out)
{
	uint64_t refused = task_tracker_refused_stacks(table->tracker);

	recorded_table(&table->input, needs, sizeof(needs) / sizeof(*needs),
		       sleep_stats_count(&table->stats), "No sleep was seen",
		       out);
	if (refused)
		fprintf(out,
			"Not known: user_stack of %" PRIu64 " sleeps of 32-bit "
			"programs: such stacks are not unwound.\n",
			refused);
}

int sleeps_show(const struct sleeps_table *table,
		const struct attribution_output *output)
{
	int status;

	say_idle(table, output->format == RECORD_TABLE ? output->out : stderr);
	if (output->format != RECORD_TABLE)
		return table_rows_render(output, write_row, table,
					 sleep_stats_count(&table->stats));
	status = print_rows(table, output);
	if (!status)
		explain(table, output->out);
	return status;
}
