/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_NUMBER_SORT_H
#define KT_COMMON_NUMBER_SORT_H

#include "common/array.h"

/* Sorts the items of @array by their first field, a uint64_t; stable. The
 * number of passes does not depend on the number of items: one pass for items
 * in order or nearly so, and for the rest one for each 11 bits in which they
 * differ.
 *
 * Returns 0, or -ERROR_MEMORY with the items in undefined order.
 */
int number_sort(struct array *array);

#endif
