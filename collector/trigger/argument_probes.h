/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_ARGUMENT_PROBES_H
#define KT_COLLECTOR_TRIGGER_ARGUMENT_PROBES_H

/* record --args: arguments and results of chosen functions of the kernel.
 *
 *	vfs_read(count),do_unlinkat ─► a probe at each start and return (tracefs)
 *	                                  └► tracepoints of the recording
 *
 * The kernel itself reads the arguments, by its own types (BTF), and describes
 * the fields of each probe's records in its format file, which is part of the
 * recording: a report needs nothing else
 * (Documentation/trace/kprobetrace.rst).
 *
 * Invariant: the probes exist until probe_events_remove(), and are in use as
 * long as their events are open.
 */

struct event_list;
struct log;

/* Returns NULL if @list is a valid list, "FUNCTION" or
 * "FUNCTION(ARGUMENT,...)", separated by commas; or a description of a valid
 * one.
 */
const char *argument_list_check(const char *list);

/* Creates the probes of the valid @list and adds their events to @events.
 *
 * Returns 0, -ERROR_MEMORY, or -ERROR_UNSUPPORTED with the reason in @log.
 */
int argument_probes_add(const char *list, struct event_list *events,
			const struct log *log);

#endif
