/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_EVENT_RINGS_H
#define KT_COLLECTOR_EVENT_RINGS_H

#include "collector/events/event_list.h"
#include "collector/rings/cpu_rings.h"

struct log;
struct target;

/* The events of a recording that are open, each with the rings of its CPU. */
struct event_rings {
	struct event_list list;
	/* struct cpu_rings, as the target's CPUs, which have traces, then others */
	struct array cpus;
	const struct target *target;
	size_t buffer_bytes; /* of a CPU's trace */
	const struct log *log;
};

/* Returns none; borrows @target and @log. */
struct event_rings event_rings_new(const struct target *target,
				   size_t buffer_bytes, const struct log *log);
void event_rings_free(struct event_rings *events);

/* Makes the rings of the target's CPUs, none of which is mapped yet, with traces
 * of @trace_bytes; @overwrite: the newest trace stays.  Returns 0 or
 * -ERROR_MEMORY.
 */
int event_rings_add_cpus(struct event_rings *events, size_t trace_bytes,
			 bool overwrite);

/* Open spec number @spec wherever the target is, and give its events their
 * rings.  Return 0 or a negative enum error, with errno if it is -ERROR_SYSTEM;
 * the second says the reason to the log.
 */
int event_rings_open(struct event_rings *events, size_t spec);
int event_rings_open_or_explain(struct event_rings *events, size_t spec);

/* Opens the last spec; @spec is what adding it returned: an error is handed on.
 * Returns 0; -ERROR_SYSTEM with errno set if the kernel refuses: the spec is
 * gone then; another negative enum error.
 */
int event_rings_open_if_possible(struct event_rings *events, int spec);

/* Opens an event of this name, number *@spec of all, whose samples the recorder
 * writes itself.  Returns 0 or a negative enum error with the reason in the log.
 */
int event_rings_open_notes(struct event_rings *events, const char *name,
			   size_t *spec);

/* Returns the rings of @cpu, which there are. */
struct cpu_rings *event_rings_of(const struct event_rings *events, int cpu);

/* Returns the page of the first ring of trace, NULL if nothing is traced. */
const struct perf_event_mmap_page *
event_rings_page(const struct event_rings *events);

#endif
