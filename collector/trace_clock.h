/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRACE_CLOCK_H
#define KT_COLLECTOR_TRACE_CLOCK_H

#include "common/clocks.h"

#include <stdint.h>

struct log;
struct output_folder;
struct perf_event_mmap_page;
struct tracer;

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

#endif
