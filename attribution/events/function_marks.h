/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_FUNCTION_MARKS_H
#define KT_ATTRIBUTION_FUNCTION_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* Which functions matter to somebody: by number, looked up once, so that
 * all others cost a load and a branch each time they are called.
 */
struct function_marks {
	uint32_t count;
	bool marks[];
};

/* Returns marks of @count functions, none of which matters so far, to be
 * freed by free(); NULL when out of memory.
 */
struct function_marks *function_marks_new(uint32_t count);

/* Returns whether @function matters; one that came later does not. */
static inline bool function_marks_has(const struct function_marks *marks,
				      uint32_t function)
{
	return function < marks->count && marks->marks[function];
}

#endif
