/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_PATH_TEXT_H
#define KT_ATTRIBUTION_PATH_TEXT_H

#include <stdint.h>

struct call_tree;
struct function_table;

/* Returns the functions from below the root of @tree to @node, outermost
 * first, as "a;b;c".
 *
 * Owner: the caller, to be freed.  NULL when out of memory.
 */
char *path_text(const struct call_tree *tree, uint32_t node,
		const struct function_table *functions);

#endif
