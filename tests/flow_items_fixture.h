/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FLOW_ITEMS_FIXTURE_H
#define KT_TESTS_FLOW_ITEMS_FIXTURE_H

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>

/* This is what two decodes (arrays of struct flow_item) have in common; times
 * do not matter.
 */

/* Returns whether the last @count items of both are the same. */
bool flow_items_end_alike(const struct array *items, const struct array *whole,
			  size_t count);

/* How many are the same, from the beginning. */
size_t flow_items_begin_alike(const struct array *items,
			      const struct array *whole);

/* How many come before the first block. */
size_t flow_items_before_block(const struct array *items);

bool flow_items_have_gap(const struct array *items);

/* Modes do not change where control goes. */
void flow_items_drop_modes(struct array *items);

#endif
