/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRACEFS_H
#define KT_COLLECTOR_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

struct byte_buffer;
struct event_list;

/* Returns the folder where tracefs is mounted and readable, or NULL. */
const char *tracefs_folder(void);

/* Reads the number of the tracepoint @name, "system:event".
 *
 * Returns 0 and *@id, or -ERROR_NOT_FOUND.
 */
int tracefs_id(const char *name, uint64_t *id);

/* Writes @text to @file of @folder, tracefs' or an instance's (NULL: not
 * available), in one write(2): each of its lines is a command. @mode is
 * O_TRUNC, or O_APPEND, which keeps the present content.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int tracefs_write(const char *folder, const char *file, const char *text,
		  int mode);

/* Returns whether @events has a tracepoint. */
bool tracefs_is_used(const struct event_list *events);

/* Appends the start of the trace.dat format, of @version: the magic, the
 * properties of the machine, and the headers of the pages and events of its
 * ring buffers.
 */
void tracefs_add_start(struct byte_buffer *bytes, const char *version);

/* Appends the size of the file at @path, 64 bits, then its bytes; a file that
 * cannot be read counts as empty.
 */
void tracefs_add_file(struct byte_buffer *bytes, const char *path);

/* Appends the description of the tracepoints among @events: the section
 * HEADER_TRACING_DATA of perf.data, which has the format of trace-cmd's
 * trace.dat, version 0.6 (tools/perf/util/trace-event-info.c).
 */
void tracefs_describe(const struct event_list *events,
		      struct byte_buffer *bytes);

#endif
