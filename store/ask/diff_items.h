/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_DIFF_ITEMS_H
#define KT_STORE_DIFF_ITEMS_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

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
	/* relative to side 0; NAN if side 0 lacks the item or is 0 */
	double change;
	double p; /* NAN if a side lacks the item */
	double q; /* NAN if a side lacks the item */
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

#endif
