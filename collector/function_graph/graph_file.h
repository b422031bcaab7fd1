/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GRAPH_FILE_H
#define KT_COLLECTOR_GRAPH_FILE_H

#include <stdbool.h>

struct graph_instance;

/* The control files of an instance of tracefs (Documentation/trace/ftrace.rst).
 */

/* Returns whether @file of @folder contains @word; false if it cannot be read.
 */
bool graph_file_has(const char *folder, const char *file, const char *word);

/* Replaces the content of @file by @text (tracefs_write()); logs a rejected
 * text.
 */
int graph_file_set(const struct graph_instance *instance, const char *file,
		   const char *text);

#endif
