/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRACEFS_H
#define KT_COLLECTOR_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

struct byte_buffer;
struct event_list;

/* Returns the folder where tracefs is mounted and can be read, or NULL. */
const char *tracefs_folder(void);

/* Reads the number of the tracepoint @name, "system:event".
 *
 * Returns 0 and *@id, or -ERROR_NOT_FOUND.
 */
int tracefs_id(const char *name, uint64_t *id);

/* Writes @text to @file of @folder, tracefs' or an instance's (NULL: there is
 * none), as one piece: each of its lines is a command.  @mode is O_TRUNC, or
 * O_APPEND, which adds to what is there.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int tracefs_write(const char *folder, const char *file, const char *text,
		  int mode);

/* Returns whether there is a tracepoint among @events. */
bool tracefs_is_used(const struct event_list *events);

/* Appends the start of that form, of @version: the magic, what the machine is
 * like, and how the pages and events of its ring buffers begin.
 */
void tracefs_add_start(struct byte_buffer *bytes, const char *version);

/* Appends the size of the file at @path, 64 bits, then its bytes; size 0 if it
 * cannot be read, as one that is empty.
 */
void tracefs_add_file(struct byte_buffer *bytes, const char *path);

/* Appends what describes the tracepoints among @events: the section
 * HEADER_TRACING_DATA of perf.data, which has the form of trace-cmd's
 * trace.dat, version 0.6 (tools/perf/util/trace-event-info.c).
 */
void tracefs_describe(const struct event_list *events,
		      struct byte_buffer *bytes);

#endif
