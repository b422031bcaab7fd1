/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SUM_LISTS_H
#define KT_VIEW_SUM_LISTS_H

#include "common/array.h"

#include <stddef.h>

/* Lists of struct call_sum with each path once, by rising path number. */

/* Converts an array of sums to such a list: sorts it, and merges sums of the
 * same path.
 */
void sum_list_sort(struct array *sums);

/* Merges @count @lists, which become empty, into @joined, an empty list.
 *
 * Returns 0, or -ERROR_MEMORY; then @joined stays empty.
 */
int sum_lists_join(struct array *lists, size_t count, struct array *joined);

#endif
