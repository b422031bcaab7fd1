/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_HISTOGRAM_ROWS_H
#define KT_TABLES_HISTOGRAM_ROWS_H

struct histogram;
struct sparse_row;
struct sparse_rows;

/* The first columns of tables of sparse rows that contain histograms. */
enum histogram_column {
	HISTOGRAM_COUNT,
	HISTOGRAM_LOW,
	HISTOGRAM_HIGH,
	HISTOGRAM_TOTAL,
	HISTOGRAM_MIN,
	HISTOGRAM_MEAN,
	HISTOGRAM_MEDIAN,
	HISTOGRAM_P99,
	HISTOGRAM_MAX,
	HISTOGRAM_COLUMNS,
};

/* Their names, for the start of a table's column list; @count names the counted
 * items.
 */
#define HISTOGRAM_COLUMN_NAMES(count) \
	[HISTOGRAM_COUNT] = count, [HISTOGRAM_LOW] = "low_ns", \
	[HISTOGRAM_HIGH] = "high_ns", [HISTOGRAM_TOTAL] = "total_ns", \
	[HISTOGRAM_MIN] = "min_ns", [HISTOGRAM_MEAN] = "mean_ns", \
	[HISTOGRAM_MEDIAN] = "median_ns", [HISTOGRAM_P99] = "p99_ns", \
	[HISTOGRAM_MAX] = "max_ns"

/* Adds a row with the figures of @times, all in ns; if it is empty, only the
 * count. @name may be NULL. Returns the row, NULL when out of memory.
 */
struct sparse_row *histogram_rows_figures(struct sparse_rows *rows,
					  const char *section, const char *name,
					  const struct histogram *times);

/* Adds a row "bucket" for each bar of @times.  Returns 0 or -ERROR_MEMORY. */
int histogram_rows_bars(struct sparse_rows *rows, const char *name,
			const struct histogram *times);

#endif
