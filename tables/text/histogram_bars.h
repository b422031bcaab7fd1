/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_HISTOGRAM_BARS_H
#define KT_TABLES_HISTOGRAM_BARS_H

#include "common/array.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct histogram;

/* The number of values in [low, high). */
struct histogram_bar {
	uint64_t low;
	uint64_t high;
	uint64_t count;
};

/* Appends to @bars (struct histogram_bar) the nonempty buckets of @histogram,
 * in order, merged evenly within an octave (below 128: within 64) so that there
 * are at most @most bars, or as few as merging allows.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int histogram_bars(const struct histogram *histogram, size_t most,
		   struct array *bars);

/* Draws @histogram, of times in ns, as text, a line per bar. Returns 0 or
 * -ERROR_MEMORY.
 */
int histogram_bars_draw(const struct histogram *histogram, FILE *out);

#endif
