/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_ASK_STORE_DIFF_H
#define KT_STORE_ASK_STORE_DIFF_H

#include "common/array.h"
#include "store/ask/measure_query.h"

#include <stdbool.h>
#include <stdint.h>

/* `ktrace-hw store diff`: compares two sets of recordings of one store.
 *
 *	one query per side ─► diff_items_read() ─► struct diff_item
 *	  ─► diff_items_compare(): medians, rank test ─► struct answer
 *
 * The samples of the test are recordings: one number per item and recording
 * (struct diff_statistic), however many durations it has. store_diff_ask() does
 * all of this; the diff_items_*() functions are its parts that need no
 * database.
 */

struct answer;

/* One item on one side. */
struct diff_side {
	/* double: one for each recording that has the item */
	struct array values;
	int64_t count; /* number of durations */
};

/* An item on both sides, and the result of the comparison. */
struct diff_item {
	const char *name; /* borrowed */
	struct diff_side sides[2];
	double medians[2]; /* NAN if the side lacks the item */
	/* of the median, relative to side 0; NAN if side 0 lacks the item or
	 * has the median 0
	 */
	double change;
	double p; /* rank_test(); NAN if a side lacks the item */
	double q; /* rank_test_adjust(); NAN if a side lacks the item */
};

/* Adds the rows of side @side (item, recording, value, count; sorted by item)
 * to @items (struct diff_item, sorted by name). Borrows the texts of @rows.
 *
 * Returns 0 or -ERROR_MEMORY. Call diff_items_free() in both cases.
 */
int diff_items_read(struct array *items, const struct answer *rows, int side);
void diff_items_free(struct array *items);

/* Adds a value of 0 for each recording of a side that lacks the item;
 * @recordings has the number of recordings of each side. Returns like
 * diff_items_read().
 */
int diff_items_fill(struct array *items, const int64_t recordings[2]);

/* Compares the sides and sorts the most significant items first. Returns like
 * diff_items_read().
 */
int diff_items_compare(struct array *items);

/* The compared value: one number per item and recording, computed by an SQL
 * expression over the item's durations.
 */
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
	struct array sides[2]; /* char *: conditions (measure_query.h) */
	uint64_t top;	       /* number of rows; UINT64_MAX: all */
};

/* Compares side 0 with side 1. For each item the result has the median of the
 * statistic over each side's recordings; the change; p (rank_test.h); q, the
 * expected share of false positives among all rows up to this one; and the
 * numbers of recordings and durations on each side. The most significant items
 * come first.
 *
 * Returns 0 and @answer, or a negative enum error logged to the target's log.
 * It is an error if a recording is on both sides, or if a side has none.
 * @answer must be zeroed; call answer_free() in all cases.
 */
int store_diff_ask(const struct store_diff *diff, struct store_target *target,
		   struct answer *answer);

#endif
