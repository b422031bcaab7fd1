/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_EVENT_RINGS_H
#define KT_COLLECTOR_EVENT_RINGS_H

#include "collector/events/event_list.h"
#include "collector/rings/cpu_rings.h"

struct log;
struct target;

/* The open events of a recording, each with the rings of its CPU. */
struct event_rings {
	struct event_list list;
	/* struct cpu_rings: first the target's CPUs, in order, which have
	 * traces; then other CPUs
	 */
	struct array cpus;
	const struct target *target;
	size_t buffer_bytes; /* trace buffer per CPU */
	const struct log *log;
};

/* Returns an empty list; borrows @target and @log. */
struct event_rings event_rings_new(const struct target *target,
				   size_t buffer_bytes, const struct log *log);
void event_rings_free(struct event_rings *events);

/* Creates the rings of the target's CPUs, not mapped yet, with trace buffers of
 * @trace_bytes; @overwrite: the buffers are overwritten, so that the newest
 * trace remains. Returns 0 or -ERROR_MEMORY.
 */
int event_rings_add_cpus(struct event_rings *events, size_t trace_bytes,
			 bool overwrite);

/* Open spec number @spec on all CPUs and threads of the target, and attach its
 * events to their rings. Return 0 or a negative enum error, with errno if it is
 * -ERROR_SYSTEM; event_rings_open_or_explain() also logs the reason.
 */
int event_rings_open(struct event_rings *events, size_t spec);
int event_rings_open_or_explain(struct event_rings *events, size_t spec);

/* Creates rings for @cpu, which came online, as event_rings_add_cpus() does, and
 * opens all specs there for everything that runs on it. @trace, the spec of the
 * trace, is opened last. Returns 0; or a negative enum error, with errno if it
 * is -ERROR_SYSTEM, after closing everything again.
 */
int event_rings_open_late(struct event_rings *events, int cpu, size_t trace,
			  size_t trace_bytes);

/* Opens the last spec. @spec is the result of adding it; if that is an error,
 * it is returned. Returns 0; -ERROR_SYSTEM with errno set if the kernel
 * refuses, and the spec is then removed; another negative enum error.
 */
int event_rings_open_if_possible(struct event_rings *events, int spec);

/* Opens an event called @name whose samples the recorder writes itself, and
 * sets *@spec to the index of its spec. Returns 0 or a negative enum error with
 * the reason in the log.
 */
int event_rings_open_notes(struct event_rings *events, const char *name,
			   size_t *spec);

/* Returns the rings of @cpu, which must exist. */
struct cpu_rings *event_rings_of(const struct event_rings *events, int cpu);

/* Returns the page of the first ring of trace, NULL if nothing is traced. */
const struct perf_event_mmap_page *
event_rings_page(const struct event_rings *events);

#endif
