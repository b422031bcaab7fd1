/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WALL_PLACE_H
#define KT_TABLES_WALL_PLACE_H

#include "report/profile/call_parts.h"

#include <stdbool.h>
#include <stdint.h>

struct call_tree;
struct time_span;

/* Where a thread is in a tree of calls, and what it has done since its last
 * span.
 */
struct wall_place {
	uint32_t node; /* where it is, or left off */
	struct call_parts parts;
	uint64_t parts_ns; /* of all of them */
};

/* Returns whether @span is time off CPUs. */
bool wall_place_is_off(const struct time_span *span);

/* Returns whether the thread is in any function, not at its root. */
bool wall_place_has_function(const struct call_tree *calls,
			     const struct wall_place *place);

/* Books @span in the tree @calls: time on a CPU by the parts, the rest in a
 * frame that says what the thread did.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int wall_place_book(const struct wall_place *place, struct call_tree *calls,
		    const struct time_span *span);

#endif
