/* SPDX-License-Identifier: MIT */
#include "tables/relations/latency_report.h"

#include "common/array.h"
#include "common/error.h"
#include "tables/relations/latency.h"
#include "tables/relations/latency_paths.h"
#include "tables/table.h"

#include <stdlib.h>
#include <string.h>

enum { PATHS_IN_TEXT = 10 };

static uint64_t path_count(const struct latency_path *path)
{
	return path->time.count;
}

static uint64_t path_total(const struct latency_path *path)
{
	return path->time.total;
}

static uint64_t path_on_cpu(const struct latency_path *path)
{
	return path->on_cpu_ns;
}

static uint64_t path_mean(const struct latency_path *path)
{
	return histogram_mean(&path->time);
}

static uint64_t path_max(const struct latency_path *path)
{
	return path->time.max;
}

typedef uint64_t path_value(const struct latency_path *path);

static const struct {
	const char *column;
	path_value *value;
} orders[] = {
	{ "count", path_count },      { "total_ns", path_total },
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
	uint64_t x = (*value)(*(const struct latency_path *const *)a);
	uint64_t y = (*value)(*(const struct latency_path *const *)b);

	return x > y ? -1 : x < y;
}

/* Selects the paths to show, in order. */
static int pick_paths(const struct latency_paths *latency,
		      const struct attribution_output *output,
		      struct array *paths)
{
	path_value *value = find_order(output->sort);
	uint64_t top = output->top;
	const struct latency_path *path;

	if (!value)
		return -ERROR_NOT_FOUND;
	for (size_t i = 0; (path = latency_paths_at(latency, i)); i++)
		if (array_append(paths, &path) < 0)
			return -ERROR_MEMORY;
	if (paths->count)
		qsort_r(paths->items, paths->count, paths->item_size,
			compare_paths, &value);
	if (output->format == RECORD_TABLE && top == UINT64_MAX)
		top = PATHS_IN_TEXT;
	if (paths->count > top)
		paths->count = top;
	return 0;
}

int latency_report_write(const struct latency_report *report,
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
