/* SPDX-License-Identifier: MIT */
#include "attribution/between_report.h"

#include "attribution/between.h"
#include "attribution/histogram_bars.h"
#include "attribution/path_text.h"
#include "attribution/table.h"
#include "common/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS_IN_TEXT = 10 };

/* One record of CSV and JSON; what it has not is absent. */
struct row {
	const char *section;
	char *path;			/* to be freed */
	const struct histogram *time;	/* NULL: count alone */
	uint64_t count;
	uint64_t on_cpu_ns;
	const struct histogram_bar *bar;
};

struct rows {
	struct array list;		/* struct row */
	struct array bars;		/* struct histogram_bar */
	struct array paths;		/* const struct between_path *, sorted */
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

static int add_row(struct rows *rows, struct row row)
{
	struct row *slot = array_add(&rows->list);

	if (!slot)
		return -ERROR_MEMORY;
	*slot = row;
	return 0;
}

static int add_counts(struct rows *rows, const struct between_answer *answer)
{
	int status = add_row(rows, (struct row){
		.section = "reached",
		.time = &answer->time,
		.count = answer->time.count,
		.on_cpu_ns = answer->on_cpu_ns,
	});

	for (size_t i = 0; !status && i < sizeof(counts) / sizeof(*counts); i++)
		status = add_row(rows, (struct row){
			.section = counts[i].section,
			.count = count_of(answer, i),
		});
	return status;
}

static int add_bars(struct rows *rows, const struct histogram *time)
{
	int status = histogram_bars(time, SIZE_MAX, &rows->bars);

	for (size_t i = 0; !status && i < rows->bars.count; i++) {
		const struct histogram_bar *bar = array_at(&rows->bars, i);

		status = add_row(rows, (struct row){
			.section = "bucket",
			.count = bar->count,
			.bar = bar,
		});
	}
	return status;
}

static int add_paths(struct rows *rows, const struct between_report *report)
{
	for (size_t i = 0; i < rows->paths.count; i++) {
		const struct between_path *path =
			*(const struct between_path **)array_at(&rows->paths,
								i);
		struct row row = {
			.section = "path",
			.path = path_text(between_tree(report->between),
					  path->node, report->functions),
			.time = &path->time,
			.count = path->time.count,
			.on_cpu_ns = path->on_cpu_ns,
		};

		if (!row.path || add_row(rows, row) < 0) {
			free(row.path);
			return -ERROR_MEMORY;
		}
	}
	return 0;
}

static void rows_free(struct rows *rows)
{
	for (size_t i = 0; i < rows->list.count; i++)
		free(((struct row *)array_at(&rows->list, i))->path);
	array_free(&rows->list);
	array_free(&rows->bars);
	array_free(&rows->paths);
}

static void write_bounds(struct record_writer *writer,
			 const struct histogram_bar *bar)
{
	if (bar) {
		record_number(writer, "low_ns", bar->low);
		record_number(writer, "high_ns", bar->high);
	} else {
		record_absent(writer, "low_ns");
		record_absent(writer, "high_ns");
	}
}

static void write_times(struct record_writer *writer, const struct row *row)
{
	static const char *const names[] = { "total_ns", "on_cpu_ns", "min_ns",
					     "mean_ns", "median_ns", "p99_ns",
					     "max_ns" };
	const struct histogram *time = row->time;

	if (!time || !time->count) {
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			record_absent(writer, names[i]);
		return;
	}
	record_number(writer, names[0], time->total);
	record_number(writer, names[1], row->on_cpu_ns);
	record_number(writer, names[2], time->min);
	record_number(writer, names[3], histogram_mean(time));
	record_number(writer, names[4], histogram_quantile(time, 0.5));
	record_number(writer, names[5], histogram_quantile(time, 0.99));
	record_number(writer, names[6], time->max);
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct rows *rows = ctx;
	const struct row *row = array_at(&rows->list, index);

	record_text(writer, "section", row->section);
	record_number(writer, "count", row->count);
	write_bounds(writer, row->bar);
	write_times(writer, row);
	if (row->path)
		record_text(writer, "path", row->path);
	else
		record_absent(writer, "path");
}

static int write_records(const struct between_report *report,
			 const struct attribution_output *output,
			 struct rows *rows)
{
	const struct between_answer *answer = between_answer(report->between);
	struct record_writer writer = record_writer_of(output->out,
						       output->format);
	int status = add_counts(rows, answer);

	if (!status)
		status = add_bars(rows, &answer->time);
	if (!status)
		status = add_paths(rows, report);
	if (!status)
		record_writer_table(&writer, write_row, rows,
				    rows->list.count);
	return status;
}

static void write_path_row(struct record_writer *writer, const void *ctx,
			   uint64_t index)
{
	const struct rows *rows = ctx;
	const struct row *row = array_at(&rows->list, index);

	record_number(writer, "count", row->count);
	write_times(writer, row);
	record_text(writer, "path", row->path ? row->path : "(all)");
}

/* All times in one table: of all paths together, and of each. */
static int write_time_table(const struct between_report *report,
			    const struct attribution_output *output,
			    struct rows *rows)
{
	const struct between_answer *answer = between_answer(report->between);
	struct record_writer writer = record_writer_of(output->out,
						       RECORD_TABLE);
	int status = add_row(rows, (struct row){
		.time = &answer->time,
		.count = answer->time.count,
		.on_cpu_ns = answer->on_cpu_ns,
	});

	if (!status)
		status = add_paths(rows, report);
	if (!status)
		record_writer_table(&writer, write_path_row, rows,
				    rows->list.count);
	return status;
}

static int write_text(const struct between_report *report,
		      const struct attribution_output *output,
		      struct rows *rows)
{
	const struct between_answer *answer = between_answer(report->between);
	FILE *out = output->out;
	int status = 0;

	fprintf(out, "From entering %s to first entering %s in the same call\n\n"
		"  %10" PRIu64 "  calls of the first in which the second came\n",
		report->from, report->to, answer->time.count);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (count_of(answer, i) || !i)
			fprintf(out, "  %10" PRIu64 "  %s\n",
				count_of(answer, i), counts[i].text);
	if (!answer->time.count)
		return 0;
	fprintf(out, "\nTimes and paths, %s first\n\n",
		output->sort ? output->sort : "the most frequent");
	status = write_time_table(report, output, rows);
	if (status)
		return status;
	fprintf(out, "\nDistribution of the time in ns\n\n");
	return histogram_bars_draw(&answer->time, out);
}

int between_report_write(const struct between_report *report,
			 const struct attribution_output *output)
{
	struct rows rows = {
		.list = ARRAY_OF(struct row),
		.bars = ARRAY_OF(struct histogram_bar),
		.paths = ARRAY_OF(const struct between_path *),
	};
	int status = pick_paths(report->between, output, &rows.paths);

	if (!status && output->format == RECORD_TABLE)
		status = write_text(report, output, &rows);
	else if (!status)
		status = write_records(report, output, &rows);
	rows_free(&rows);
	return status;
}
