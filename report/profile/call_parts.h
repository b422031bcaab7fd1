/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_PARTS_H
#define KT_REPORT_CALL_PARTS_H

#include "common/array.h"

#include <stdint.h>

/* The time on one call path, within one call of a function or many. */
struct call_part {
	uint32_t node; /* of a call tree */
	uint64_t calls;
	uint64_t on_cpu_ns;  /* self time of the innermost function */
	uint64_t off_cpu_ns; /* time off the CPU there */
};

/* The parts of one call or many, each path once. */
struct call_parts {
	struct array list; /* struct call_part, in no order */
	/* uint32_t by node: index into list; valid only if the part at that
	 * index has this node
	 */
	struct array places;
};

#define CALL_PARTS_EMPTY \
	((struct call_parts){ \
		.list = ARRAY_OF(struct call_part), \
		.places = ARRAY_OF(uint32_t), \
	})

void call_parts_free(struct call_parts *parts);

/* Removes all parts in constant time. */
void call_parts_clear(struct call_parts *parts);

/* Returns the part for @node, creating it if necessary; NULL when out of
 * memory. It is valid until the next part is created.
 */
struct call_part *call_parts_at(struct call_parts *parts, uint32_t node);

/* Adds @more to @parts.  Returns 0 or -ERROR_MEMORY. */
int call_parts_join(struct call_parts *parts, const struct call_parts *more);

#endif
