/* SPDX-License-Identifier: MIT */
#include "collector/trace_clock.h"
#include "collector/bytes/recording_files.h"
#include "collector/trace_unit/tracer.h"
#include "common/clocks.h"

#include <stdio.h>
#include <sys/timex.h>

enum { US_NS = 1000 };

uint64_t trace_clock_ns(const struct trace_clock *clock)
{
	return clock->tracer->now_ns(clock->page);
}

/* Needs no rights; modes 0 changes nothing. */
static void ask_kernel(struct clock_reading *reading)
{
	struct timex state = { .modes = 0 };

	if (adjtimex(&state) < 0)
		return;
	reading->status = (uint32_t)state.status;
	reading->esterror_ns = (uint64_t)state.esterror * US_NS;
	reading->maxerror_ns = (uint64_t)state.maxerror * US_NS;
}

/* An interrupt between two readings makes them less precise: uses the closest
 * pair of several.
 */
void trace_clock_read(const struct trace_clock *clock,
		      struct clock_reading *reading)
{
	enum { TRIES = 16 };

	*reading = (struct clock_reading){ .bracket_ns = UINT64_MAX };
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = trace_clock_ns(clock);
		int64_t between = realtime_ns();
		uint64_t after = trace_clock_ns(clock);

		/* function_graph's tracer cannot read its clock. */
		if (!before || after < before ||
		    after - before >= reading->bracket_ns)
			continue;
		reading->is_known = true;
		reading->clock_ns = before + (after - before) / 2;
		reading->realtime_ns = between;
		reading->bracket_ns = after - before;
	}
	ask_kernel(reading);
}

static void write_readings(FILE *out, const void *readings)
{
	clock_readings_write(readings, out);
}

int trace_clock_save(const struct output_folder *recording,
		     const struct clock_readings *readings,
		     const struct log *log)
{
	return kcore_folder_write(recording, "clock", write_readings, readings,
				  log);
}
