/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_FUNCTION_MARKS_H
#define KT_ATTRIBUTION_FUNCTION_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table;
struct name_rule;

/* What functions mean to somebody: by number, looked up once, so that
 * all others cost a load and a branch each time they are called.
 */
struct function_marks {
	uint32_t count;
	uint8_t values[]; /* 0: the function does not matter */
};

/* Returns marks of @count functions, none of which matters so far, to be
 * freed by free(); NULL when out of memory.
 */
struct function_marks *function_marks_new(uint32_t count);

/* Returns marks of @functions, those of the kernel by the first of the @count
 * @rules that fits their name: its value.  To be freed by free(); NULL when out
 * of memory.
 */
struct function_marks *
function_marks_by_rules(const struct function_table *functions,
			const struct name_rule *rules, size_t count);

/* Returns the value of @function; one that came later has none. */
static inline uint8_t function_marks_at(const struct function_marks *marks,
					uint32_t function)
{
	return function < marks->count ? marks->values[function] : 0;
}

/* Returns whether @function matters. */
static inline bool function_marks_has(const struct function_marks *marks,
				      uint32_t function)
{
	return function_marks_at(marks, function);
}

#endif
