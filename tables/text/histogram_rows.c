/* SPDX-License-Identifier: MIT */
#include "tables/text/histogram_rows.h"

#include "common/error.h"
#include "tables/text/histogram.h"
#include "tables/text/histogram_bars.h"
#include "tables/text/sparse_rows.h"

struct sparse_row *histogram_rows_figures(struct sparse_rows *rows,
					  const char *section, const char *name,
					  const struct histogram *times)
{
	struct sparse_row *row = sparse_rows_add(rows, section, name);

	if (!row)
		return NULL;
	sparse_row_set(row, HISTOGRAM_COUNT, times->count);
	if (!times->count)
		return row;
	sparse_row_set(row, HISTOGRAM_TOTAL, times->total);
	sparse_row_set(row, HISTOGRAM_MIN, times->min);
	sparse_row_set(row, HISTOGRAM_MEAN, histogram_mean(times));
	sparse_row_set(row, HISTOGRAM_MEDIAN, histogram_quantile(times, 0.5));
	sparse_row_set(row, HISTOGRAM_P99, histogram_quantile(times, 0.99));
	sparse_row_set(row, HISTOGRAM_MAX, times->max);
	return row;
}

static int add_bar(struct sparse_rows *rows, const char *name,
		   const struct histogram_bar *bar)
{
	struct sparse_row *row = sparse_rows_add(rows, "bucket", name);

	if (!row)
		return -ERROR_MEMORY;
	sparse_row_set(row, HISTOGRAM_COUNT, bar->count);
	sparse_row_set(row, HISTOGRAM_LOW, bar->low);
	sparse_row_set(row, HISTOGRAM_HIGH, bar->high);
	return 0;
}

int histogram_rows_bars(struct sparse_rows *rows, const char *name,
			const struct histogram *times)
{
	struct array bars = ARRAY_OF(struct histogram_bar);
	int status = histogram_bars(times, SIZE_MAX, &bars);

	for (size_t i = 0; !status && i < bars.count; i++)
		status = add_bar(rows, name, array_at(&bars, i));
	array_free(&bars);
	return status;
}
