/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_INSTRUCTION_PACE_H
#define KT_EXECUTION_INSTRUCTION_PACE_H

#include "decoder/flow/cycle_rate.h"

#include <stdbool.h>
#include <stdint.h>

/* How long instructions take, or cycles where a trace unit counts them, measured
 * between two synchronisation points for what comes behind the second: so it can
 * be known by whoever begins to decode one such stretch earlier.  Before there was
 * one, all so far is the measure.  Spans with slow blocks do not count.
 */
struct instruction_pace {
	uint64_t rate;	 /* nanoseconds per instruction * 65536; 0: not known */
	uint64_t sum_ns; /* since the last synchronisation point */
	uint64_t sum_instructions;
	bool is_across;	  /* the span under way began before it */
	uint64_t counted; /* of the instructions of the span under way:
				 * so many stand for cycles that a trace unit
				 * counted */
};

#define INSTRUCTION_PACE_FIRST ((struct instruction_pace){ .is_across = true })

/* Returns the rate before the first synchronisation point that told one. */
uint64_t instruction_pace_first_rate(const struct instruction_pace *pace);

static inline uint64_t
instruction_pace_rate(const struct instruction_pace *pace)
{
	return pace->rate ? pace->rate : instruction_pace_first_rate(pace);
}

/* Returns how long @instructions usually take. */
static inline uint64_t instruction_pace_ns(const struct instruction_pace *pace,
					   uint64_t instructions)
{
	return (instructions * instruction_pace_rate(pace)) >> 16;
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
		.rate = instruction_pace_rate(pace),
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
