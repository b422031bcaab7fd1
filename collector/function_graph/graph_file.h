/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GRAPH_FILE_H
#define KT_COLLECTOR_GRAPH_FILE_H

#include <stdbool.h>

struct graph_instance;

/* The files of an instance of tracefs, by which it is set up
 * (Documentation/trace/ftrace.rst).
 */

/* Returns whether @word stands in @file of @folder; false if that cannot be
 * read.
 */
bool graph_file_has(const char *folder, const char *file, const char *word);

/* Writes @text to @file in place of what is there (tracefs_write()); says what
 * is not taken.
 */
int graph_file_set(const struct graph_instance *instance, const char *file,
		   const char *text);

#endif
