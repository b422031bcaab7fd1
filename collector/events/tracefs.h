/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_EVENTS_TRACEFS_H
#define KT_COLLECTOR_EVENTS_TRACEFS_H

/* The kernel's tracepoints and its tracefs: their numbers, their formats, and
 * the choice of those to record (enum tracepoint_set).
 *
 * Tracefs is optional, and its files belong to the system: this code reads
 * them, and writes only for an instance of its own or for the probes that it
 * adds. Formats are copied into the recording unchanged, because they differ
 * between kernels and only the traced machine has them.
 *
 * Functions have no state; errors are -ERROR_NOT_FOUND, -ERROR_MEMORY, or
 * -ERROR_SYSTEM with errno.
 */

#include <stdbool.h>
#include <stdint.h>

struct byte_buffer;
struct event_list;
struct log;

/* Returns the folder where tracefs is mounted and readable, or NULL. */
const char *tracefs_folder(void);

/* Reads the number of the tracepoint @name, "system:event".
 *
 * Returns 0 and *@id, -ERROR_NOT_FOUND or -ERROR_MEMORY.
 */
int tracefs_id(const char *name, uint64_t *id);

/* Writes @text to @file of @folder in one write(2); each line is a command.
 * @folder is tracefs or an instance of it; NULL fails with ENOENT. @mode is
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

/* Sets of tracepoints to record in addition to the trace; bits to combine. If
 * none is set, the traced kernel is not patched.
 */
enum tracepoint_set {
	TRACEPOINTS_SCHED = 1, /* wake-ups */
	/* context switches; the sideband has them, too */
	TRACEPOINTS_SWITCH = 2,
	TRACEPOINTS_IRQ = 4,	  /* interrupts and softirqs */
	TRACEPOINTS_SYSCALLS = 8, /* arguments and results of system calls */
	TRACEPOINTS_FAULTS = 16,  /* addresses of page faults */
	TRACEPOINTS_OBJECTS = 32, /* packets, requests, timers, work items */
	TRACEPOINTS_LOCKS = 64,	  /* waits for locks */
	TRACEPOINTS_IDLE = 128, /* idle states, and the timers that end them */
	TRACEPOINTS_ALL = 255,
	/* to charge time to its cause */
	TRACEPOINTS_ATTRIBUTION = TRACEPOINTS_SCHED | TRACEPOINTS_OBJECTS,
};

/* Parses a list such as "attribution,syscalls" of the names none, sched,
 * switches, irq, syscalls, faults, locks, idle, all and attribution.
 *
 * Returns enum tracepoint_set bits, or -1.
 */
int tracepoint_set_parse(const char *list);

/* Returns whether tracefs has all tracepoints of @set (enum tracepoint_set
 * bits) that every kernel has, and they are readable.
 */
bool tracepoint_set_can_be_read(unsigned int set);

/* Adds the specs of @set (enum tracepoint_set bits) to @events, not opened yet.
 * If @user_stack_bytes is not 0, also adds the tracepoint at the start of
 * system calls, with up to that many bytes of the caller's stack.
 *
 * Returns 0; -ERROR_NOT_FOUND, with the remedy in @log, if tracefs cannot be
 * read; -ERROR_MEMORY.
 */
int tracepoint_set_add(unsigned int set, uint32_t user_stack_bytes,
		       struct event_list *events, const struct log *log);

/* Adds the spec of the tracepoint @name, EVENT_MODULE_LOAD or _FREE, if the
 * kernel has it.
 *
 * Returns its index; -ERROR_NOT_FOUND without a message; -ERROR_MEMORY.
 */
int tracepoint_add_module(struct event_list *events, const char *name);

#endif
