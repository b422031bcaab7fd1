/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_NUMBER_SORT_H
#define KT_COMMON_NUMBER_SORT_H

#include "common/array.h"

/* Sorts the items of @array by the uint64_t that each begins with; equal ones keep
 * their order.  It takes a few passes, however many items there are: one for those that
 * come in order or nearly so, and for the rest one for each 11 bits in which they
 * differ.
 *
 * Returns 0, or -ERROR_MEMORY with the items in some order.
 */
int number_sort(struct array *array);

#endif
