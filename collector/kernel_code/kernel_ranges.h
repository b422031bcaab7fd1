/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_KERNEL_RANGES_H
#define KT_COLLECTOR_KERNEL_RANGES_H

struct array;
struct kcore;
struct kernel_copy;

/* Appends the ranges of @kcore (struct code_range) that contain the code of the
 * kernel, of the modules, of the ranges that dynamic_code_find() finds in the
 * symbols of @copy, and of all other pages that executable_pages_find() finds,
 * except pages with only zeros or breakpoints. The ranges do not overlap.
 *
 * Returns 0 or a negative enum error, with errno set if -ERROR_SYSTEM.
 */
int kernel_ranges_find(const struct kernel_copy *copy,
		       const struct kcore *kcore, struct array *ranges);

#endif
