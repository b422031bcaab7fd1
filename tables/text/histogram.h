/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TEXT_HISTOGRAM_H
#define KT_TABLES_TEXT_HISTOGRAM_H

#include "common/array.h"
#include "report/text/record_writer.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A distribution of durations: exact count, sum, minimum and maximum, quantiles
 * to within 1 %.
 *
 * Log-linear: 64 equal buckets for each power of two, so that a bucket's middle
 * differs from its values by at most 1/128; values below 128 have buckets of
 * their own. Memory: 8 bytes per bucket up to the largest value's; there are at
 * most 3,776.
 */
struct histogram {
	uint64_t count;
	uint64_t total;
	uint64_t min; /* 0 if count is 0 */
	uint64_t max;
	struct array buckets; /* uint64_t */
};

#define HISTOGRAM_EMPTY ((struct histogram){ .buckets = ARRAY_OF(uint64_t) })

/* Returns 0, or -ERROR_MEMORY: @value is then not counted. */
int histogram_add(struct histogram *histogram, uint64_t value);

/* Returns the value that the share @quantile (0 to 1) of all values do not
 * exceed, by nearest rank; 0 for an empty histogram.
 */
uint64_t histogram_quantile(const struct histogram *histogram, double quantile);

/* Returns the mean, rounded down; 0 for an empty histogram. */
uint64_t histogram_mean(const struct histogram *histogram);

/* Returns the number of values in bucket @index, below buckets.count, and the
 * bucket's bounds: [*@low, *@low + *@width).
 */
uint64_t histogram_bucket(const struct histogram *histogram, size_t index,
			  uint64_t *low, uint64_t *width);
void histogram_free(struct histogram *histogram);

/* Draws @histogram, of times in ns, as text, a line per bar. Returns 0 or
 * -ERROR_MEMORY.
 */
int histogram_bars_draw(const struct histogram *histogram, FILE *out);

/* Records of different kinds under one header, for CSV and JSON: each has a
 * section, and only the columns that apply to it; the others are absent.
 */
struct sparse_rows {
	const char *const *columns; /* borrowed; all numbers */
	size_t column_count;	    /* at most SPARSE_COLUMNS */
	struct array list;	    /* struct sparse_row */
};

enum { SPARSE_COLUMNS = 32 };

struct sparse_row {
	const char *section; /* borrowed */
	char *name;	     /* owned; or NULL */
	uint32_t present;    /* a bit for each column */
	int64_t values[SPARSE_COLUMNS];
};

struct sparse_rows sparse_rows_of(const char *const *columns, size_t count);
void sparse_rows_free(struct sparse_rows *rows);

/* Appends a row; @name may be NULL. The pointer is valid until the next call.
 *
 * Returns NULL when out of memory.
 */
struct sparse_row *sparse_rows_add(struct sparse_rows *rows,
				   const char *section, const char *name);

/* Sets a column, which must be below the number of columns. */
void sparse_row_set(struct sparse_row *row, size_t column, uint64_t value);

/* Writes all rows: section, name, then the columns. */
void sparse_rows_write(const struct sparse_rows *rows, FILE *out,
		       enum record_format format);

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
