/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_MATCHING_LINES_H
#define KT_COLLECTOR_MATCHING_LINES_H

#include <stddef.h>

/* Appends the lines of the file @from that hold any of the @count texts
 * @marks to the file @to.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int matching_lines_append(const char *from, const char *to,
			  const char (*marks)[80], size_t count);

#endif
