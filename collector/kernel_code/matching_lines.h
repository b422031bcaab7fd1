/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_MATCHING_LINES_H
#define KT_COLLECTOR_MATCHING_LINES_H

#include <stddef.h>

struct output_folder;

/* Appends the lines of the file @from that contain any of the @count texts
 * @marks to the existing file @name of @folder.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int matching_lines_append(const char *from, const struct output_folder *folder,
			  const char *name, const char (*marks)[80],
			  size_t count);

#endif
