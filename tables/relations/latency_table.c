/* SPDX-License-Identifier: MIT */
#include "attribution/events/event_handler.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/error.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "symbolize/symbols/symbols.h"
#include "tables/relations/function_choice_internal.h"
#include "tables/relations/latency_internal.h"
#include "tables/table.h"
#include "tables/text/histogram.h"
#include "tables/text/stack_text.h"
#include "tables/text/table_rows.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of the counts of a result, with its description. */
struct latency_count {
	const char *name; /* as in struct latency_answer */
	const char *text;
	uint64_t count;
};

/* The contents of `report --between`; all borrowed. */
struct latency_report {
	const struct latency *latency; /* after latency_end() */
	const struct function_table *functions;
	const char *from; /* the functions' names as given by the user */
	const char *to;
};

static const struct {
	const char *name;
	const char *text;
	size_t offset; /* in struct latency_answer */
} counts[] = {
#define COUNT(member, text) \
	{ \
#member, text, offsetof(struct latency_answer, member) \
	}
	COUNT(calls, "calls of the first"),
	COUNT(never, "ended without the second"),
	COUNT(open, "had not reached it when the recording ended"),
	COUNT(unseen_begin, "started before they were seen: no time known"),
	COUNT(doubtful, "without it in the trace, which has gaps"),
	COUNT(again, "later entries of the second in the same calls"),
	COUNT(in_interrupts, "entries of the second in interrupts during the "
			     "calls"),
#undef COUNT
};

/* Sets *@count to count @index. Returns false after the last. */
static bool latency_count_at(const struct latency_answer *answer, size_t index,
			     struct latency_count *count)
{
	if (index >= sizeof(counts) / sizeof(*counts))
		return false;
	count->name = counts[index].name;
	count->text = counts[index].text;
	count->count = *(const uint64_t *)((const char *)answer +
					   counts[index].offset);
	return true;
}

/* Returns the functions of @path, a path of @latency, as text: see
 * stack_text().
 */
static char *latency_path_name(const struct latency *latency,
			       const struct latency_path *path,
			       const struct function_table *functions)
{
	return stack_text(latency_paths_tree(latency_paths(latency)),
			  path->node, functions);
}

enum { COLUMN_ON_CPU = HISTOGRAM_COLUMNS, COLUMNS };

static const char *const columns[COLUMNS] = {
	HISTOGRAM_COLUMN_NAMES("count"),
	[COLUMN_ON_CPU] = "on_cpu_ns",
};

static int add_times(struct sparse_rows *rows, const char *section,
		     const char *name, const struct histogram *time,
		     uint64_t on_cpu_ns)
{
	struct sparse_row *row =
		histogram_rows_figures(rows, section, name, time);

	if (!row)
		return -ERROR_MEMORY;
	if (time->count)
		sparse_row_set(row, COLUMN_ON_CPU, on_cpu_ns);
	return 0;
}

static int add_counts(struct sparse_rows *rows,
		      const struct latency_answer *answer)
{
	struct latency_count count;

	for (size_t i = 0; latency_count_at(answer, i, &count); i++) {
		struct sparse_row *row =
			sparse_rows_add(rows, count.name, NULL);

		if (!row)
			return -ERROR_MEMORY;
		sparse_row_set(row, HISTOGRAM_COUNT, count.count);
	}
	return 0;
}

static int add_path(struct sparse_rows *rows,
		    const struct latency_report *report,
		    const struct latency_path *path)
{
	char *text =
		latency_path_name(report->latency, path, report->functions);
	int status = text ? add_times(rows, "path", text, &path->time,
				      path->on_cpu_ns) :
			    -ERROR_MEMORY;

	free(text);
	return status;
}

static int latency_report_records(const struct latency_report *report,
				  const struct attribution_output *output,
				  const struct array *paths)
{
	const struct latency_answer *answer = latency_answer(report->latency);
	struct sparse_rows rows = sparse_rows_of(columns, COLUMNS);
	int status = add_times(&rows, "reached", NULL, &answer->time,
			       answer->on_cpu_ns);

	if (!status)
		status = add_counts(&rows, answer);
	if (!status)
		status = histogram_rows_bars(&rows, NULL, &answer->time);
	for (size_t i = 0; !status && i < paths->count; i++)
		status = add_path(&rows, report,
				  *(const struct latency_path **)array_at(paths,
									  i));
	if (!status)
		sparse_rows_write(&rows, output->out, output->format);
	sparse_rows_free(&rows);
	return status;
}

static void write_times(const struct histogram *time, uint64_t on_cpu_ns,
			FILE *out)
{
	fprintf(out, "  count %" PRIu64 ", total %s (on a CPU %s)\n",
		time->count, duration_text_of(time->total).text,
		duration_text_of(on_cpu_ns).text);
	fprintf(out, "  min %s, mean %s, median %s, p99 %s, max %s\n",
		duration_text_of(time->min).text,
		duration_text_of(histogram_mean(time)).text,
		duration_text_of(histogram_quantile(time, 0.5)).text,
		duration_text_of(histogram_quantile(time, 0.99)).text,
		duration_text_of(time->max).text);
}

/* Writes a path, one function per line, as it is too long for a column. */
static int write_path(const struct latency_report *report,
		      const struct latency_path *path, FILE *out)
{
	char *text =
		latency_path_name(report->latency, path, report->functions);
	char *rest = text;
	const char *name;

	if (!text)
		return -ERROR_MEMORY;
	fputc('\n', out);
	write_times(&path->time, path->on_cpu_ns, out);
	while ((name = strsep(&rest, ";"))) {
		fputs("    ", out);
		name_write(out, NAME_TEXT, name);
		fputs("\n", out);
	}
	free(text);
	return 0;
}

static void write_counts(const struct latency_report *report, FILE *out)
{
	const struct latency_answer *answer = latency_answer(report->latency);
	struct latency_count count;

	fputs("From entering ", out);
	name_write(out, NAME_TEXT, report->from);
	fputs(" to first entering ", out);
	name_write(out, NAME_TEXT, report->to);
	fprintf(out,
		" in the same call\n\n"
		"  %10" PRIu64 "  calls of the first that reached the second\n",
		answer->time.count);
	for (size_t i = 0; latency_count_at(answer, i, &count); i++)
		if (count.count || !i)
			fprintf(out, "  %10" PRIu64 "  %s\n", count.count,
				count.text);
}

/* Write the report in one format, with the paths that latency_report_write()
 * has chosen (const struct latency_path *). Return 0 or -ERROR_MEMORY.
 */
static int latency_report_text(const struct latency_report *report,
			       const struct attribution_output *output,
			       const struct array *paths)
{
	const struct latency_answer *answer = latency_answer(report->latency);
	FILE *out = output->out;
	int status;

	write_counts(report, out);
	if (!answer->time.count)
		return 0;
	fputs("\nTime\n\n", out);
	write_times(&answer->time, answer->on_cpu_ns, out);
	fputc('\n', out);
	status = histogram_bars_draw(&answer->time, out);
	if (!status)
		fprintf(out, "\nPaths, %s first\n",
			output->sort ? output->sort : "the most frequent");
	for (size_t i = 0; i < paths->count && !status; i++)
		status = write_path(
			report,
			*(const struct latency_path **)array_at(paths, i), out);
	return status;
}

enum { PATHS_IN_TEXT = 10 };

static uint64_t path_mean(const struct column_row *row)
{
	const struct latency_path *path = row->fact;

	return histogram_mean(&path->time);
}

#define OF(member) MEMBER(struct latency_path, member)

/* The columns that paths are sorted by. */
static const struct column path_columns[] = {
	COUNT_COLUMN(OF(time.count)), TOTAL_COLUMN(OF(time.total)),
	ON_CPU_COLUMN(OF(on_cpu_ns)), MEAN_COLUMN(COUNTED(path_mean)),
	MAX_COLUMN(OF(time.max)),     END_OF_COLUMNS,
};

/* Appends the first @most paths of @all to @paths, in the order that @output
 * requests; if it requests none, the most frequent paths first.
 */
static int add_in_order(const struct attribution_output *output,
			const struct array *all, uint64_t most,
			struct array *paths)
{
	const struct table_rows rows = { .table = &latency_table,
					 .facts = all,
					 .are_pointers = true };
	struct attribution_output sorted = *output;
	uint64_t *order;
	int status;

	if (!sorted.sort)
		sorted.sort = "count";
	status = table_rows_order(&sorted, table_rows_write, &rows, all->count,
				  &order);
	for (uint64_t i = 0; !status && i < all->count && i < most; i++)
		status = array_append(paths, array_at(all, order[i]));
	free(order);
	return status;
}

/* Selects the paths to show, in order. */
static int pick_paths(const struct latency_paths *latency,
		      const struct attribution_output *output,
		      struct array *paths)
{
	struct array all = ARRAY_OF(const struct latency_path *);
	uint64_t top = output->top;
	const struct latency_path *path;
	int status = 0;

	for (size_t i = 0; !status && (path = latency_paths_at(latency, i));
	     i++)
		status = array_append(&all, &path);
	if (output->format == RECORD_TABLE && top == UINT64_MAX)
		top = PATHS_IN_TEXT;
	if (!status)
		status = add_in_order(output, &all, top, paths);
	array_free(&all);
	return status;
}

/* Returns 0, -ERROR_MEMORY, or -ERROR_NOT_FOUND if paths have no column
 * output->sort.
 */
static int latency_report_write(const struct latency_report *report,
				const struct attribution_output *output)
{
	struct array paths = ARRAY_OF(const struct latency_path *);
	int status = pick_paths(latency_paths(report->latency), output, &paths);

	if (!status && output->format == RECORD_TABLE)
		status = latency_report_text(report, output, &paths);
	else if (!status)
		status = latency_report_records(report, output, &paths);
	array_free(&paths);
	return status;
}

struct latency_table {
	struct event_handler handler;
	const struct function_table *functions;
	char *first; /* name of the first function; owned */
	/* name of the second function, part of the memory of first */
	const char *second;
	struct function_choice *from;
	struct function_choice *to;
	struct latency *latency;
	int status;
};

static size_t first_length(const char *argument)
{
	return strcspn(argument, ",");
}

static bool check(const struct attribution_input *input, char *message,
		  size_t size)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	const char *argument = input->argument;
	size_t length = first_length(argument);

	if (!length || !argument[length] || !argument[length + 1]) {
		snprintf(message, size, "needs two functions");
		return false;
	}
	return function_choice_check(functions, argument, length, message,
				     size) &&
	       function_choice_check(functions, argument + length + 1,
				     strlen(argument + length + 1), message,
				     size);
}

static void consume(struct event_handler *handler, const struct call_step *step)
{
	struct latency_table *table = (struct latency_table *)handler;

	if (!table->status)
		table->status = latency_consume(table->latency, step);
}

static bool is_done(const struct event_handler *handler, uint64_t time_ns)
{
	const struct latency_table *table =
		(const struct latency_table *)handler;

	return latency_is_done(table->latency, time_ns);
}

static void close_table(struct event_handler *handler)
{
	struct latency_table *table = (struct latency_table *)handler;

	latency_free(table->latency);
	function_choice_free(table->from);
	function_choice_free(table->to);
	free(table->first);
}

static bool open_parts(struct latency_table *table,
		       const struct attribution_input *input)
{
	struct latency_question question = {
		.kinds = input->kinds,
		.paths =
			thread_tracker_paths(trackers_threads(input->trackers)),
		.filter = input->filter,
		.window = input->window,
	};
	size_t length = first_length(input->argument);

	table->first = strdup(input->argument);
	if (!table->first)
		return false;
	table->first[length] = '\0';
	table->second = table->first + length + 1;
	table->from =
		function_choice_new(table->functions, table->first, length);
	table->to = function_choice_new(table->functions, table->second,
					strlen(table->second));
	question.from = table->from;
	question.to = table->to;
	if (question.paths && table->from && table->to)
		table->latency = latency_new(&question);
	return table->latency;
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct latency_table *table = (struct latency_table *)handler;

	table->handler.step = consume;
	table->functions = symbols_functions(input->symbols);
	return open_parts(table, input);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct latency_table *table = (struct latency_table *)handler;
	const struct latency_report report = {
		.latency = table->latency,
		.functions = table->functions,
		.from = table->first,
		.to = table->second,
	};

	if (table->status)
		return table->status;
	latency_end(table->latency);
	return latency_report_write(&report, output);
}

const struct attribution_table latency_table = {
	.name = "between",
	.columns = path_columns,
	.argument = "A B",
	.help = "the time from entering function A to entering B in it",
	.check = check,
	.size = sizeof(struct latency_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.is_done = is_done,
};
