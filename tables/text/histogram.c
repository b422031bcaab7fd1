/* SPDX-License-Identifier: MIT */
#include "tables/text/histogram.h"

#include "common/error.h"
#include "report/text/duration_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The number of values in [low, high). */
struct histogram_bar {
	uint64_t low;
	uint64_t high;
	uint64_t count;
};

enum { OCTAVE_BITS = 6, OCTAVE = 1 << OCTAVE_BITS };

static size_t bucket_of(uint64_t value)
{
	unsigned int shift;

	if (value < 2 * OCTAVE)
		return value;
	shift = 63 - OCTAVE_BITS - (unsigned int)__builtin_clzll(value);
	return (size_t)shift * OCTAVE + (size_t)(value >> shift);
}

int histogram_add(struct histogram *histogram, uint64_t value)
{
	uint64_t *bucket = array_reach(&histogram->buckets, bucket_of(value));

	if (!bucket)
		return -ERROR_MEMORY;
	++*bucket;
	if (!histogram->count || value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->count++;
	histogram->total += value;
	return 0;
}

uint64_t histogram_bucket(const struct histogram *histogram, size_t index,
			  uint64_t *low, uint64_t *width)
{
	unsigned int shift =
		index < 2 * OCTAVE ? 0 : (unsigned int)(index / OCTAVE) - 1;

	*low = ((uint64_t)index - (uint64_t)shift * OCTAVE) << shift;
	*width = UINT64_C(1) << shift;
	return *(const uint64_t *)array_at(&histogram->buckets, index);
}

/* Returns the rank of a quantile, from 1. */
static uint64_t rank_of(const struct histogram *histogram, double quantile)
{
	double exact = quantile * (double)histogram->count;
	uint64_t rank = (uint64_t)exact;

	if ((double)rank < exact)
		rank++;
	if (rank > histogram->count)
		return histogram->count;
	return rank ? rank : 1;
}

static uint64_t clamp(const struct histogram *histogram, uint64_t value)
{
	if (value < histogram->min)
		return histogram->min;
	return value > histogram->max ? histogram->max : value;
}

uint64_t histogram_quantile(const struct histogram *histogram, double quantile)
{
	uint64_t rank = rank_of(histogram, quantile);
	uint64_t seen = 0;
	uint64_t low;
	uint64_t width;

	for (size_t i = 0; i < histogram->buckets.count; i++) {
		seen += histogram_bucket(histogram, i, &low, &width);
		if (seen >= rank)
			return clamp(histogram, low + width / 2);
	}
	return 0;
}

uint64_t histogram_mean(const struct histogram *histogram)
{
	return histogram->count ? histogram->total / histogram->count : 0;
}

void histogram_free(struct histogram *histogram)
{
	array_free(&histogram->buckets);
	*histogram = HISTOGRAM_EMPTY;
}

enum {
	MOST_LINES = 24, /* of a drawn histogram */
	BAR_WIDTH = 40,
};

/* Makes bars of @joined buckets each. */
static int make_bars(const struct histogram *histogram, size_t joined,
		     struct array *bars)
{
	struct histogram_bar *bar = NULL;
	size_t last = 0;

	for (size_t i = 0; i < histogram->buckets.count; i++) {
		uint64_t low;
		uint64_t width;
		uint64_t count = histogram_bucket(histogram, i, &low, &width);

		if (!count)
			continue;
		if (!bar || i / joined != last) {
			uint64_t end;

			bar = array_add(bars);
			if (!bar)
				return -ERROR_MEMORY;
			last = i / joined;
			bar->low = low - i % joined * width;
			end = bar->low + joined * width;
			bar->high = end > bar->low ? end : UINT64_MAX;
		}
		bar->count += count;
	}
	return 0;
}

/* Appends to @bars (struct histogram_bar) the nonempty buckets of @histogram,
 * in order, merged evenly within an octave (below 128: within 64) so that there
 * are at most @most bars, or as few as merging allows.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int histogram_bars(const struct histogram *histogram, size_t most,
			  struct array *bars)
{
	size_t joined = 1;
	int status;

	/* Up to 64 adjacent buckets are in one octave and have the same width.
	 */
	while (!(status = make_bars(histogram, joined, bars)) &&
	       bars->count > most && joined < 64) {
		bars->count = 0;
		joined *= 2;
	}
	return status;
}

static void draw_bar(const struct histogram_bar *bar, uint64_t most, FILE *out)
{
	int width = (int)((bar->count * BAR_WIDTH + most - 1) / most);

	fprintf(out, "  %8s - %8s %10" PRIu64 "  %.*s\n",
		duration_text_of(bar->low).text,
		duration_text_of(bar->high - 1).text, bar->count, width,
		"########################################");
}

int histogram_bars_draw(const struct histogram *histogram, FILE *out)
{
	struct array bars = ARRAY_OF(struct histogram_bar);
	const struct histogram_bar *list;
	uint64_t most = 1;
	int status = histogram_bars(histogram, MOST_LINES, &bars);

	list = bars.items;
	for (size_t i = 0; !status && i < bars.count; i++)
		if (list[i].count > most)
			most = list[i].count;
	for (size_t i = 0; !status && i < bars.count; i++)
		draw_bar(&list[i], most, out);
	array_free(&bars);
	return status;
}

struct sparse_rows sparse_rows_of(const char *const *columns, size_t count)
{
	return (struct sparse_rows){ columns, count,
				     ARRAY_OF(struct sparse_row) };
}

static struct sparse_row *row_at(const struct sparse_rows *rows, size_t index)
{
	return array_at(&rows->list, index);
}

void sparse_rows_free(struct sparse_rows *rows)
{
	for (size_t i = 0; i < rows->list.count; i++)
		free(row_at(rows, i)->name);
	array_free(&rows->list);
}

struct sparse_row *sparse_rows_add(struct sparse_rows *rows,
				   const char *section, const char *name)
{
	char *copy = name ? strdup(name) : NULL;
	struct sparse_row *row = name && !copy ? NULL : array_add(&rows->list);

	if (!row) {
		free(copy);
		return NULL;
	}
	row->section = section;
	row->name = copy;
	return row;
}

void sparse_row_set(struct sparse_row *row, size_t column, uint64_t value)
{
	row->present |= 1u << column;
	row->values[column] = (int64_t)value;
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct sparse_rows *rows = ctx;
	const struct sparse_row *row = row_at(rows, index);

	record_text(writer, "section", row->section);
	if (row->name)
		record_text(writer, "name", row->name);
	else
		record_absent(writer, "name");
	for (size_t i = 0; i < rows->column_count; i++)
		if (row->present & 1u << i)
			record_signed(writer, rows->columns[i], row->values[i]);
		else
			record_absent(writer, rows->columns[i]);
}

void sparse_rows_write(const struct sparse_rows *rows, FILE *out,
		       enum record_format format)
{
	struct record_writer writer = record_writer_of(out, format);

	record_writer_table(&writer, write_row, rows, rows->list.count);
}

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
