/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_DIFF_H
#define KT_STORE_DIFF_H

#include "store/ask/measure_query.h"

/* The compared value: one number per item and recording. */
struct diff_statistic {
	const char *name;
	const char *expression;
	bool is_time;
	/* the value of a recording without the item is 0 */
	bool is_zero_without;
};

/* Return statistic @index, or the statistic with name @name; NULL if it does
 * not exist.
 */
const struct diff_statistic *diff_statistic_at(size_t index);
const struct diff_statistic *diff_statistic_find(const char *name);

/* A comparison of two sets of recordings. */
struct store_diff {
	const struct measure *measure;
	const struct diff_statistic *statistic;
	const char *item;      /* only this item; NULL: all items */
	struct array sides[2]; /* char *: conditions (recording_filter.h) */
	uint64_t top;	       /* number of rows; UINT64_MAX: all */
};

/* Compares side 0 with side 1. For each item the result has the median of the
 * statistic over each side's recordings; the change; p (rank_test.h); q, the
 * expected share of false positives among all rows up to this one; and the
 * numbers of recordings and durations on each side. The most significant items
 * come first.
 *
 * Returns 0 and @answer, or a negative enum error logged to the target's log.
 * It is an error if a recording is on both sides, or if a side has none. Call
 * answer_free() after success.
 */
int store_diff_ask(const struct store_diff *diff, struct store_target *target,
		   struct answer *answer);

#endif
