/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRACE_SPEC_H
#define KT_COLLECTOR_TRACE_SPEC_H

struct collector_options;
struct event_spec;
struct log;
struct pmu;
struct tracer;

/* Creates the spec of the trace's own event from @options and the trace unit.
 * Returns 0 or a negative enum error with the reason in @log.
 */
int trace_spec_make(const struct collector_options *options,
		    const struct tracer *tracer, const struct pmu *pmu,
		    const struct log *log, struct event_spec *spec);

#endif
