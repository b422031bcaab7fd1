/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_PROBE_EVENTS_H
#define KT_COLLECTOR_PROBE_EVENTS_H

#include <stddef.h>
#include <stdint.h>

/* Probes in tracefs that are this process's own: their group has its number in
 * its name (Documentation/trace/kprobetrace.rst, uprobetracer.rst).
 */

/* Puts the name of probe number @number at a call's begin, or its return, into
 * @name: "group:event".
 */
enum { PROBE_NAME_SIZE = 48 };
void probe_event_name(size_t number, int is_return, char name[PROBE_NAME_SIZE]);

/* Makes such a probe at the kernel function @function.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set: ENOENT where there is no tracefs
 * or no such function, EINVAL where no probe can be.
 */
int probe_event_add_kernel(size_t number, int is_return, const char *function);

/* The same at @offset of the file @path. */
int probe_event_add_user(size_t number, int is_return, const char *path,
			 uint64_t offset);

/* Removes all probes of this process, and of those that have ended; the
 * former's events must be closed.
 */
void probe_events_remove(void);

/* Returns how many calls the probes of this process missed, since too many were
 * under way at once or the kernel was inside of another probe.
 */
uint64_t probe_events_missed(void);

#endif
