/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_PROBE_EVENTS_H
#define KT_COLLECTOR_PROBE_EVENTS_H

#include <stddef.h>
#include <stdint.h>

/* Probes in tracefs that are this process's own: the name of their group
 * contains its process number (Documentation/trace/kprobetrace.rst,
 * uprobetracer.rst). A probe is a tracepoint once it is created: tracefs_id() has
 * its number, an event is opened by it, and the samples are described by its
 * format file. A probe whose event is open cannot be removed. Probes of recorders
 * that were killed are removed by the next recorder.
 */

/* Writes the name of probe number @number at a call's start, or its return,
 * into @name: "group:event".
 */
enum { PROBE_NAME_SIZE = 48 };
void probe_event_name(size_t number, int is_return, char name[PROBE_NAME_SIZE]);

/* Creates the probe called probe_event_name() at the start or return of the
 * kernel function @function.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set: ENOENT if there is no tracefs or
 * no such function, EINVAL if the function cannot be probed.
 */
int probe_event_add_kernel(size_t number, int is_return, const char *function);

/* Like probe_event_add_kernel(), but at @offset of the file @path. */
int probe_event_add_user(size_t number, int is_return, const char *path,
			 uint64_t offset);

/* Writes the name of the probe that probe_event_read() creates. */
void probe_event_reader_name(size_t number, int is_return,
			     char name[PROBE_NAME_SIZE]);

/* Like probe_event_add_kernel(), for a probe called probe_event_reader_name(),
 * whose records contain @values: definitions of fields in the kernel's syntax,
 * each after a blank.
 */
int probe_event_read(size_t number, int is_return, const char *function,
		     const char *values);

/* Writes the name of a probe that reads ids of goroutines. */
void probe_event_goroutine_name(size_t number, char name[PROBE_NAME_SIZE]);

/* Like probe_event_add_user(), for the probe called @event, whose records
 * contain @values like those of probe_event_read().
 */
int probe_event_read_user(const char *event, const char *path, uint64_t offset,
			  const char *values);

/* Removes all probes of this process, whose events must be closed, and those of
 * processes that have ended.
 */
void probe_events_remove(void);

/* Returns how many calls the probes of this process missed because too many
 * were in progress at once or the kernel was inside of another probe.
 */
uint64_t probe_events_missed(void);

#endif
