/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_COLLECTOR_PARTS_H
#define KT_COLLECTOR_COLLECTOR_PARTS_H

#include "collector/collector.h"
#include "collector/events/event_list.h"
#include "collector/function_graph/function_graph.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/priority.h"
#include "collector/records/record_watch.h"
#include "collector/rings/cpu_rings.h"
#include "collector/signal_source.h"
#include "collector/size_watch.h"
#include "collector/target/target.h"
#include "collector/target/workload.h"
#include "collector/trace_unit/tracer.h"

/* A recording under way: what the files collector*.c share. */
struct collector {
	const struct collector_options *options;
	const struct log *log;
	struct collector_result *result;
	struct target target;
	const struct tracer *tracer;
	struct pmu pmu;
	struct function_graph *graph; /* NULL: a trace unit */
	struct event_list events;
	size_t trace_spec;  /* index of the trace's own events */
	size_t switch_spec; /* of those of task switches */
	bool wide;	    /* may look at whole CPUs */
	/* struct cpu_rings, as target.cpus, which have traces, then others */
	struct array cpus;
	struct kernel_copy kernel;
	struct byte_buffer filter;  /* as the kernel has it */
	struct loaded_code *loaded; /* NULL: not wide */
	struct recording_writer *writer;
	struct priority priority;
	struct workload workload;
	struct signal_source signals;
	int timer;
	uint64_t begin_ns; /* of tracing, CLOCK_MONOTONIC */
	struct size_watch size_watch;
	bool command_ended;
	struct record_counts counts;
};

/* Adds the trace's own event, as the options and the unit want it, not opened
 * yet: collector_trace.c.  Returns 0 or a negative enum error with the reason
 * in the log.
 */
int collector_add_trace(struct collector *collector);

/* Opens the events, in the order that lets every change of the kernel's text
 * be recorded or copied: collector_setup.c.  Likewise.
 */
int collector_open_events(struct collector *collector);

/* Returns the rings of @cpu, which there are. */
struct cpu_rings *collector_rings(const struct collector *collector, int cpu);

/* Returns whether the kernel's own tracer takes the place of a trace unit. */
static inline bool collector_has_graph(const struct collector *collector)
{
	return collector->options->source == SOURCE_FUNCTION_GRAPH;
}

/* Sets the tracer up, for the target: collector_graph.c.  Returns 0 or a
 * negative enum error with the reason in the log.
 */
int collector_open_graph(struct collector *collector);

/* Ends the tracing, takes the rest, and writes it.  Likewise. */
int collector_finish_graph(struct collector *collector);

/* Copies the kernel's code, sets the filter and writes the start of the
 * recording: collector_begin.c.  Likewise.
 */
int collector_begin(struct collector *collector);

/* Reads the rings until the recording is to end: collector_loop.c.
 * Likewise.  Sets result->end.
 */
int collector_loop(struct collector *collector);

/* Reads all rings once. */
int collector_drain(struct collector *collector);

/* Goes on with traces that stopped since their buffer, which has been read
 * now, was full.  Returns 0 or -ERROR_SYSTEM.
 */
int collector_resume(struct collector *collector);

/* Keeps what the snapshot's rings hold; @last: tracing ends. */
int collector_snapshot(struct collector *collector, bool last);

#endif
