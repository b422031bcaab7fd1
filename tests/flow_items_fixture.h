/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FLOW_ITEMS_FIXTURE_H
#define KT_TESTS_FLOW_ITEMS_FIXTURE_H

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>

/* Compares two decodes (arrays of struct flow_item), ignoring times. */

/* Returns whether the last @count items of both are the same. */
bool flow_items_end_alike(const struct array *items, const struct array *whole,
			  size_t count);

/* Returns the number of leading items that are the same in both. */
size_t flow_items_begin_alike(const struct array *items,
			      const struct array *whole);

/* Returns the number of items before the first block. */
size_t flow_items_before_block(const struct array *items);

bool flow_items_have_gap(const struct array *items);

/* Removes the mode items, which do not affect control flow. */
void flow_items_drop_modes(struct array *items);

#endif
