/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_DIFF_H
#define KT_STORE_DIFF_H

#include "store/ask/measure_query.h"

/* What of a recording is compared: one number for each item. */
struct diff_statistic {
	const char *name;
	const char *expression;
	bool is_time;
	bool is_zero_without; /* of a recording that lacks the item */
};

/* Returns statistic @index or the one called @name; NULL if there is none. */
const struct diff_statistic *diff_statistic_at(size_t index);
const struct diff_statistic *diff_statistic_find(const char *name);

/* Two sets of recordings. */
struct store_diff {
	const struct measure *measure;
	const struct diff_statistic *statistic;
	const char *item;      /* this one alone; NULL: all */
	struct array sides[2]; /* char *: recording_filter.h */
	uint64_t top;	       /* rows; UINT64_MAX: all */
};

/* Asks what changed from side 0 to side 1: for each item the median, over the
 * recordings of a side, of the statistic; the change; how likely chance alone
 * does as much (p, by rank_test.h), and q, the share of false finds among all
 * rows up to that one; the number of recordings and of durations on each side.
 * What is surest comes first.
 *
 * Returns 0 and @answer, or a negative enum error said to the target's log, also
 * if a recording is on both sides, or none on one; answer_free() it if 0.
 */
int store_diff_ask(const struct store_diff *diff, struct store_target *target,
		   struct answer *answer);

#endif
