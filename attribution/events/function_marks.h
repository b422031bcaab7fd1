/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_FUNCTION_MARKS_H
#define KT_ATTRIBUTION_FUNCTION_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table;
struct name_rule;

/* A small value per function number, for one user. The values are looked up
 * once, so that each call of an unmarked function costs a load and a branch
 * only.
 */
struct function_marks {
	uint32_t count;
	uint8_t values[]; /* 0: not marked */
};

/* Returns marks for @count functions, all 0. The caller frees them with free().
 * Returns NULL when out of memory.
 */
struct function_marks *function_marks_new(uint32_t count);

/* Returns marks for @functions. A kernel function gets the value of the first
 * of the @count @rules that matches its name. The caller frees the marks with
 * free(). Returns NULL when out of memory.
 */
struct function_marks *
function_marks_by_rules(const struct function_table *functions,
			const struct name_rule *rules, size_t count);

/* Returns the mark of @function; 0 for a function that was added to the table
 * after the marks were made.
 */
static inline uint8_t function_marks_at(const struct function_marks *marks,
					uint32_t function)
{
	return function < marks->count ? marks->values[function] : 0;
}

/* Returns whether @function is marked. */
static inline bool function_marks_has(const struct function_marks *marks,
				      uint32_t function)
{
	return function_marks_at(marks, function);
}

#endif
