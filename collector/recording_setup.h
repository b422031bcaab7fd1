/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORDING_SETUP_H
#define KT_COLLECTOR_RECORDING_SETUP_H

#include "collector/collector.h"
#include "collector/event_rings.h"
#include "collector/target/target.h"
#include "collector/trace_clock.h"
#include "collector/trace_unit/tracer.h"
#include "collector/trigger/trigger_set.h"

struct function_graph;

/* The subject of a recording and the events that record it. Open data: chosen
 * and opened before a recording starts, and constant from then on, except that
 * CPUs are added that come online (late_cpus.h).
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

/* Opens the events of the target, in the order that lets every change of the
 * kernel's text be recorded or copied.  Returns 0 or a negative enum error with
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
