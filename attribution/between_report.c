/* SPDX-License-Identifier: MIT */
#include "attribution/between_report.h"

#include "attribution/between.h"
#include "attribution/histogram_bars.h"
#include "attribution/path_text.h"
#include "attribution/sparse_rows.h"
#include "attribution/table.h"
#include "common/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS_IN_TEXT = 10 };

enum column {
	COLUMN_COUNT,
	COLUMN_LOW,
	COLUMN_HIGH,
	COLUMN_TOTAL,
	COLUMN_ON_CPU,
	COLUMN_MIN,
	COLUMN_MEAN,
	COLUMN_MEDIAN,
	COLUMN_P99,
	COLUMN_MAX,
	COLUMNS,
};

static const char *const columns[COLUMNS] = {
	[COLUMN_COUNT] = "count",
	[COLUMN_LOW] = "low_ns",
	[COLUMN_HIGH] = "high_ns",
	[COLUMN_TOTAL] = "total_ns",
	[COLUMN_ON_CPU] = "on_cpu_ns",
	[COLUMN_MIN] = "min_ns",
	[COLUMN_MEAN] = "mean_ns",
	[COLUMN_MEDIAN] = "median_ns",
	[COLUMN_P99] = "p99_ns",
	[COLUMN_MAX] = "max_ns",
};

static const struct {
	const char *section;
	const char *text;
	size_t offset;			/* in struct between_answer */
} counts[] = {
#define COUNT(member, text) \
	{ #member, text, offsetof(struct between_answer, member) }
	COUNT(calls, "calls of the first"),
	COUNT(never, "ended without the second"),
	COUNT(open, "still without it when the recording ended"),
	COUNT(unseen_begin, "begun before they were seen: no time known"),
	COUNT(doubtful, "without it, as far as seen: the trace has holes"),
	COUNT(again, "later entries of the second in the same calls"),
	COUNT(in_interrupts, "entries of the second in interrupts meanwhile"),
#undef COUNT
};

static uint64_t count_of(const struct between_answer *answer, size_t index)
{
	return *(const uint64_t *)((const char *)answer +
				   counts[index].offset);
}

static uint64_t path_count(const struct between_path *path)
{
	return path->time.count;
}

static uint64_t path_total(const struct between_path *path)
{
	return path->time.total;
}

static uint64_t path_on_cpu(const struct between_path *path)
{
	return path->on_cpu_ns;
}

static uint64_t path_mean(const struct between_path *path)
{
	return histogram_mean(&path->time);
}

static uint64_t path_max(const struct between_path *path)
{
	return path->time.max;
}

typedef uint64_t path_value(const struct between_path *path);

static const struct {
	const char *column;
	path_value *value;
} orders[] = {
	{ "count", path_count },   { "total_ns", path_total },
	{ "on_cpu_ns", path_on_cpu }, { "mean_ns", path_mean },
	{ "max_ns", path_max },
};

static path_value *find_order(const char *column)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		if (!column || !strcmp(orders[i].column, column))
			return orders[i].value;
	return NULL;
}

static int compare_paths(const void *a, const void *b, void *ctx)
{
	path_value *const *value = ctx;
	uint64_t x = (*value)(*(const struct between_path *const *)a);
	uint64_t y = (*value)(*(const struct between_path *const *)b);

	return x > y ? -1 : x < y;
}

/* The paths to show, in order. */
static int pick_paths(const struct between *between,
		      const struct attribution_output *output,
		      struct array *paths)
{
	path_value *value = find_order(output->sort);
	uint64_t top = output->top;
	const struct between_path *path;

	if (!value)
		return -ERROR_NOT_FOUND;
	for (size_t i = 0; (path = between_path(between, i)); i++) {
		const struct between_path **slot = array_add(paths);

		if (!slot)
			return -ERROR_MEMORY;
		*slot = path;
	}
	if (paths->count)
		qsort_r(paths->items, paths->count, paths->item_size,
			compare_paths, &value);
	if (output->format == RECORD_TABLE && top == UINT64_MAX)
		top = PATHS_IN_TEXT;
	if (paths->count > top)
		paths->count = top;
	return 0;
}

static int add_count(struct sparse_rows *rows, const char *section,
		     uint64_t count)
{
	struct sparse_row *row = sparse_rows_add(rows, section, NULL);

	if (!row)
		return -ERROR_MEMORY;
	sparse_row_set(row, COLUMN_COUNT, count);
	return 0;
}

static int add_times(struct sparse_rows *rows, const char *section,
		     const char *name, const struct histogram *time,
		     uint64_t on_cpu_ns)
{
	struct sparse_row *row = sparse_rows_add(rows, section, name);

	if (!row)
		return -ERROR_MEMORY;
	sparse_row_set(row, COLUMN_COUNT, time->count);
	if (!time->count)
		return 0;
	sparse_row_set(row, COLUMN_TOTAL, time->total);
	sparse_row_set(row, COLUMN_ON_CPU, on_cpu_ns);
	sparse_row_set(row, COLUMN_MIN, time->min);
	sparse_row_set(row, COLUMN_MEAN, histogram_mean(time));
	sparse_row_set(row, COLUMN_MEDIAN, histogram_quantile(time, 0.5));
	sparse_row_set(row, COLUMN_P99, histogram_quantile(time, 0.99));
	sparse_row_set(row, COLUMN_MAX, time->max);
	return 0;
}

static int add_bars(struct sparse_rows *rows, const struct histogram *time)
{
	struct array bars = ARRAY_OF(struct histogram_bar);
	int status = histogram_bars(time, SIZE_MAX, &bars);

	for (size_t i = 0; !status && i < bars.count; i++) {
		const struct histogram_bar *bar = array_at(&bars, i);
		struct sparse_row *row = sparse_rows_add(rows, "bucket", NULL);

		if (!row) {
			status = -ERROR_MEMORY;
			break;
		}
		sparse_row_set(row, COLUMN_COUNT, bar->count);
		sparse_row_set(row, COLUMN_LOW, bar->low);
		sparse_row_set(row, COLUMN_HIGH, bar->high);
	}
	array_free(&bars);
	return status;
}

static char *text_of(const struct between_report *report,
		     const struct between_path *path)
{
	return path_text(between_tree(report->between), path->node,
			 report->functions);
}

static const struct between_path *path_at(const struct array *paths,
					  size_t index)
{
	return *(const struct between_path **)array_at(paths, index);
}

static int add_paths(struct sparse_rows *rows,
		     const struct between_report *report,
		     const struct array *paths)
{
	int status = 0;

	for (size_t i = 0; i < paths->count && !status; i++) {
		const struct between_path *path = path_at(paths, i);
		char *text = text_of(report, path);

		status = text ? add_times(rows, "path", text, &path->time,
					  path->on_cpu_ns) :
				-ERROR_MEMORY;
		free(text);
	}
	return status;
}

static int write_records(const struct between_report *report,
			 const struct attribution_output *output,
			 const struct array *paths)
{
	const struct between_answer *answer = between_answer(report->between);
	struct sparse_rows rows = sparse_rows_of(columns, COLUMNS);
	int status = add_times(&rows, "reached", NULL, &answer->time,
			       answer->on_cpu_ns);

	for (size_t i = 0; !status && i < sizeof(counts) / sizeof(*counts); i++)
		status = add_count(&rows, counts[i].section,
				   count_of(answer, i));
	if (!status)
		status = add_bars(&rows, &answer->time);
	if (!status)
		status = add_paths(&rows, report, paths);
	if (!status)
		sparse_rows_write(&rows, output->out, output->format);
	sparse_rows_free(&rows);
	return status;
}

static void write_times(const struct histogram *time, uint64_t on_cpu_ns,
			FILE *out)
{
	fprintf(out,
		"  count %" PRIu64 ", total_ns %" PRIu64 " (on_cpu_ns %" PRIu64
		")\n  min_ns %" PRIu64 ", mean_ns %" PRIu64
		", median_ns %" PRIu64 ", p99_ns %" PRIu64 ", max_ns %" PRIu64
		"\n",
		time->count, time->total, on_cpu_ns, time->min,
		histogram_mean(time), histogram_quantile(time, 0.5),
		histogram_quantile(time, 0.99), time->max);
}

/* A path is too long for a column: a line a function. */
static int write_path(const struct between_report *report,
		      const struct between_path *path, FILE *out)
{
	char *text = text_of(report, path);
	char *rest = text;
	const char *name;

	if (!text)
		return -ERROR_MEMORY;
	fputc('\n', out);
	write_times(&path->time, path->on_cpu_ns, out);
	while ((name = strsep(&rest, ";")))
		fprintf(out, "    %s\n", name);
	free(text);
	return 0;
}

static void write_counts(const struct between_report *report, FILE *out)
{
	const struct between_answer *answer = between_answer(report->between);

	fprintf(out, "From entering %s to first entering %s in the same call\n\n"
		"  %10" PRIu64 "  calls of the first in which the second came\n",
		report->from, report->to, answer->time.count);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (count_of(answer, i) || !i)
			fprintf(out, "  %10" PRIu64 "  %s\n",
				count_of(answer, i), counts[i].text);
}

static int write_text(const struct between_report *report,
		      const struct attribution_output *output,
		      const struct array *paths)
{
	const struct between_answer *answer = between_answer(report->between);
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
		status = write_path(report, path_at(paths, i), out);
	return status;
}

int between_report_write(const struct between_report *report,
			 const struct attribution_output *output)
{
	struct array paths = ARRAY_OF(const struct between_path *);
	int status = pick_paths(report->between, output, &paths);

	if (!status && output->format == RECORD_TABLE)
		status = write_text(report, output, &paths);
	else if (!status)
		status = write_records(report, output, &paths);
	array_free(&paths);
	return status;
}
