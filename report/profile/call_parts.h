/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_PARTS_H
#define KT_REPORT_CALL_PARTS_H

#include "common/array.h"

#include <stdint.h>

/* This is what happened on one call path, within one call of a function or
 * many.
 */
struct call_part {
	uint32_t node; /* of a call tree */
	uint64_t calls;
	uint64_t on_cpu_ns;  /* in the innermost function itself */
	uint64_t off_cpu_ns; /* switched out there */
};

/* The parts of one call or many, each path once. */
struct call_parts {
	struct array list;   /* struct call_part, in no order */
	struct array places; /* uint32_t by node: where in the list it is,
				 * if that part says so, too */
};

#define CALL_PARTS_EMPTY \
	((struct call_parts){ \
		.list = ARRAY_OF(struct call_part), \
		.places = ARRAY_OF(uint32_t), \
	})

void call_parts_free(struct call_parts *parts);

/* Forgets the parts, in no time. */
void call_parts_clear(struct call_parts *parts);

/* Returns the part for @node, making it if it is new; it stays in place until
 * the next one is made.  NULL when out of memory.
 */
struct call_part *call_parts_at(struct call_parts *parts, uint32_t node);

/* Adds @more to @parts.  Returns 0 or -ERROR_MEMORY. */
int call_parts_join(struct call_parts *parts, const struct call_parts *more);

#endif
