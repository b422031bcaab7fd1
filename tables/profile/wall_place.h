/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WALL_PLACE_H
#define KT_TABLES_WALL_PLACE_H

#include "report/profile/call_tree.h"

#include <stdbool.h>
#include <stdint.h>

struct time_span;

/* A thread's current node in a call tree, and its work since its last span. */
struct wall_place {
	uint32_t node; /* current node, or the last one before it was lost */
	struct call_parts parts;
	uint64_t parts_ns; /* sum of parts */
};

/* Returns whether @span is time off CPUs. */
bool wall_place_is_off(const struct time_span *span);

/* Returns whether the thread is in a function, not at its root. */
bool wall_place_has_function(const struct call_tree *calls,
			     const struct wall_place *place);

/* Adds @span to the tree @calls: time on a CPU by the parts, other time in a
 * frame that names the thread's state.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int wall_place_book(const struct wall_place *place, struct call_tree *calls,
		    const struct time_span *span);

#endif
