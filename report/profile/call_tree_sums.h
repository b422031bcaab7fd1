/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_TREE_SUMS_H
#define KT_REPORT_CALL_TREE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

struct call_tree;

/* Returns an array, by node, of the time in it and all below.
 *
 * Owner: the caller, to be freed.  NULL when out of memory.
 */
uint64_t *call_tree_totals(const struct call_tree *tree);

/* Returns for each node whether it or one below it was called or ran, to be
 * freed; NULL when out of memory.  Others were only open at the time.
 */
bool *call_tree_used(const struct call_tree *tree);

#endif
