/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORDING_SETUP_INTERNAL_H
#define KT_COLLECTOR_RECORDING_SETUP_INTERNAL_H

#include "collector/collector_options_internal.h"
#include "collector/events/event_list.h"
#include "collector/rings/cpu_rings.h"
#include "collector/target/target.h"
#include "collector/trace_unit/tracer.h"
#include "collector/trigger/trigger_set.h"
#include "common/clocks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_graph;
struct log;
struct output_folder;
struct perf_event_mmap_page;
struct pmu;

/* The clock of a recording's timestamps. */
struct trace_clock {
	const struct tracer *tracer;
	const struct perf_event_mmap_page *page; /* of any traced CPU's ring */
};

/* Returns the clock's current time; 0 if the tracer cannot read it. */
uint64_t trace_clock_ns(const struct trace_clock *clock);

/* Reads the clock together with CLOCK_REALTIME. */
void trace_clock_read(const struct trace_clock *clock,
		      struct clock_reading *reading);

/* Writes the readings so far to @recording. Returns 0, or an error with its
 * message in @log.
 */
int trace_clock_save(const struct output_folder *recording,
		     const struct clock_readings *readings,
		     const struct log *log);

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

/* Opens spec number @spec on all CPUs and threads of the target, and attaches
 * its events to their rings. Returns 0 or a negative enum error, with errno if
 * it is -ERROR_SYSTEM.
 */
int event_rings_open(struct event_rings *events, size_t spec);

/* Creates rings for @cpu, which came online, as event_rings_add_cpus() does,
 * and opens all specs there for everything that runs on it. @trace, the spec of
 * the trace, is opened last. Returns 0; or a negative enum error, with errno if
 * it is -ERROR_SYSTEM, after closing everything again.
 */
int event_rings_open_late(struct event_rings *events, int cpu, size_t trace,
			  size_t trace_bytes);

/* Replaces the events that record everything that runs on @cpu, which came
 * back: the kernel closed them when it was switched off. The events of threads
 * stay. The new ones write to the same rings and are not enabled. Returns like
 * event_rings_open_late(); after an error the old events are in place again,
 * though breakpoints may be closed.
 */
int event_rings_reopen(struct event_rings *events, int cpu);

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

/* Ends the tracing, reads the remaining trace, and writes trace.dat; sets
 * *@overruns to the number of lost events. Returns 0 or a negative enum error
 * with the reason in the log.
 */
int graph_recording_finish(struct function_graph *graph, uint64_t *overruns);

/* The subject of a recording and the events that record it. All parts of the
 * collector read the members. They are set before a recording starts and do not
 * change afterwards, except that CPUs that come online are added
 * (late_cpus_internal.h).
 */
struct recording_setup {
	const struct collector_options *options;
	const struct log *log;
	struct target target;
	pid_t command; /* waits to be started; -1: none */
	const struct tracer *tracer;
	struct pmu pmu;
	struct function_graph *graph; /* NULL: a trace unit is used */
	struct event_rings events;
	size_t trace_spec;  /* index of the trace's own events */
	size_t switch_spec; /* index of the events of task switches */
	bool wide;	    /* whole-CPU events are permitted */
};

/* Opens the events of the target, in an order in which every change of the
 * kernel's code is recorded or copied. Returns 0 or a negative enum error with
 * the reason in the log.
 */
int recording_setup_open(struct recording_setup *setup);

/* Returns whether the kernel's own tracer replaces a trace unit. */
static inline bool
recording_setup_has_graph(const struct recording_setup *setup)
{
	return setup->options->source == SOURCE_FUNCTION_GRAPH;
}

/* Returns the recording's clock. */
struct trace_clock recording_setup_clock(const struct recording_setup *setup);

/* Returns the arguments for arming triggers, with @symbols, which are empty,
 * and without the name of an option, which the caller sets.
 */
struct trigger_setup recording_setup_triggers(struct recording_setup *setup,
					      struct kernel_symbols *symbols);

#endif
