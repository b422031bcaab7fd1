/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_TREE_SUMS_H
#define KT_REPORT_CALL_TREE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

struct call_tree;

/* Returns an array, by node, of the time in the node and all its descendants;
 * NULL when out of memory. The caller frees it.
 */
uint64_t *call_tree_totals(const struct call_tree *tree);

/* Returns an array, by node, of whether the node or a descendant was called or
 * ran; NULL when out of memory. The caller frees it. Other nodes were only open
 * meanwhile.
 */
bool *call_tree_used(const struct call_tree *tree);

#endif
