/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SUM_LISTS_H
#define KT_VIEW_SUM_LISTS_H

#include "common/array.h"

#include <stddef.h>

/* Lists of struct call_sum, each path once, by rising numbers of paths. */

/* Makes one of any sums: sorts them, and adds up those of the same path. */
void sum_list_sort(struct array *sums);

/* Adds up @count of @lists, which become empty, to @joined, an empty list.
 *
 * Returns 0, or -ERROR_MEMORY; then @joined stays empty.
 */
int sum_lists_join(struct array *lists, size_t count, struct array *joined);

#endif
