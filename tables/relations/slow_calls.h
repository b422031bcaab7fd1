/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SLOW_CALLS_H
#define KT_TABLES_SLOW_CALLS_H

#include "common/array.h"

#include <stddef.h>

struct slow_call;

/* The slowest of the offered calls, the slowest first. */
struct slow_calls {
	struct array list; /* struct slow_call */
	size_t most;
};

/* Returns an empty list for the @most slowest calls. */
struct slow_calls slow_calls_of(size_t most);
void slow_calls_free(struct slow_calls *calls);

/* Copies @call if it is slow enough. Of equally slow calls, the first wins.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int slow_calls_offer(struct slow_calls *calls, const struct slow_call *call);

/* Returns the call at @rank, counted from 0, or NULL. */
const struct slow_call *slow_calls_at(const struct slow_calls *calls,
				      size_t rank);

#endif
