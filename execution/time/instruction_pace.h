/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_INSTRUCTION_PACE_H
#define KT_EXECUTION_INSTRUCTION_PACE_H

#include "decoder/flow/cycle_rate.h"

#include <stdbool.h>
#include <stdint.h>

/* How long instructions take, measured between two synchronisation points for
 * what comes behind the second: so it can be known by whoever begins to decode
 * one such stretch earlier.  Spans with slow blocks do not count.
 */
struct instruction_pace {
	uint64_t rate;	 /* nanoseconds per instruction * 65536 */
	uint64_t sum_ns; /* since the last synchronisation point */
	uint64_t sum_instructions;
	bool is_across;	  /* the span under way began before it */
	uint64_t counted; /* of the instructions of the span under way:
				 * so many stand for cycles that a trace unit
				 * counted */
};

/* Where nothing was measured: four instructions a nanosecond. */
#define INSTRUCTION_PACE_FIRST \
	((struct instruction_pace){ .rate = 65536 / 4, .is_across = true })

/* Returns how long @instructions usually take. */
static inline uint64_t instruction_pace_ns(const struct instruction_pace *pace,
					   uint64_t instructions)
{
	return (instructions * pace->rate) >> 16;
}

/* Returns how long they may take without anything slow among them. */
static inline uint64_t
instruction_pace_longest_ns(const struct instruction_pace *pace,
			    uint64_t instructions)
{
	const struct cycle_rate span = {
		.work = instructions,
		.counted = pace->counted < instructions ? pace->counted :
							  instructions,
		.rate = pace->rate,
	};

	return cycle_rate_longest_ns(&span);
}

/* A span of @instructions took @span_ns; 0 of them: it cannot be told. */
static inline void instruction_pace_add(struct instruction_pace *pace,
					uint64_t instructions, uint64_t span_ns)
{
	bool counts = instructions && !pace->is_across;

	pace->is_across = false;
	pace->sum_ns += counts ? span_ns : 0;
	pace->sum_instructions += counts ? instructions : 0;
}

/* A synchronisation point was passed. */
void instruction_pace_sync(struct instruction_pace *pace);

#endif
