/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_INSTRUCTION_PACE_H
#define KT_EXECUTION_INSTRUCTION_PACE_H

#include "decoder/flow/cycle_rate.h"

#include <stdbool.h>
#include <stdint.h>

/* How long instructions take, or cycles if a trace unit counts them. The rate
 * is measured between two sync points and used after the second, so that a
 * decoder which starts one such interval earlier computes the same rate. Before
 * the first such measurement, all spans so far are averaged. Spans with slow
 * blocks are ignored.
 */
struct instruction_pace {
	uint64_t rate;	 /* nanoseconds per instruction * 65536; 0: unknown */
	uint64_t sum_ns; /* since the last sync point */
	uint64_t sum_instructions;
	bool is_across; /* the current span started before it */
	/* number of instructions of the current span that stand for cycles
	 * counted by a trace unit
	 */
	uint64_t counted;
};

#define INSTRUCTION_PACE_FIRST ((struct instruction_pace){ .is_across = true })

/* Returns the rate to use before the first sync point that measured one. */
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

/* Returns how long @instructions may take if none of them is slow. */
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

/* Adds a span of @instructions that took @span_ns; 0 instructions: unknown. */
static inline void instruction_pace_add(struct instruction_pace *pace,
					uint64_t instructions, uint64_t span_ns)
{
	bool counts = instructions && !pace->is_across;

	pace->is_across = false;
	pace->sum_ns += counts ? span_ns : 0;
	pace->sum_instructions += counts ? instructions : 0;
}

/* Must be called at a sync point. */
void instruction_pace_sync(struct instruction_pace *pace);

#endif
