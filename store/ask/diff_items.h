/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_DIFF_ITEMS_H
#define KT_STORE_DIFF_ITEMS_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct answer;

/* One item on one side. */
struct diff_side {
	struct array values; /* double, one of each recording that has it */
	int64_t count;	     /* of durations */
};

/* An item on both, and what a comparison says of it. */
struct diff_item {
	const char *name; /* borrowed */
	struct diff_side sides[2];
	double medians[2]; /* NAN: the side does not have it */
	double change;	   /* of side 0; NAN if that has none, or 0 */
	double p;	   /* NAN: a side has none */
	double q;	   /* likewise */
};

/* Adds to @items (struct diff_item, by name) the rows of side @side: item,
 * recording, value, count; in order of items.  Borrows the answer's texts.
 *
 * Returns 0 or -ERROR_MEMORY; diff_items_free() them either way.
 */
int diff_items_read(struct array *items, const struct answer *rows, int side);
void diff_items_free(struct array *items);

/* Gives each item a 0 for each recording of the side's @recordings that lacks it.
 * Returns as above.
 */
int diff_items_fill(struct array *items, const int64_t recordings[2]);

/* Compares the sides, and puts what is surest first.  Returns as above. */
int diff_items_compare(struct array *items);

#endif
