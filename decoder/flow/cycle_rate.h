/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CYCLE_RATE_H
#define KT_DECODER_CYCLE_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* Estimates how long a unit of work takes, from spans between two known times.
 * A unit is a cycle or another unit that the trace unit counts, or else an
 * instruction. flow_batch.c begins a span at each known time, and adds the work
 * of each item to the members.
 */
struct cycle_rate {
	uint64_t work; /* of the current span */
	/* part of the work that was counted in cycles, not estimated from
	 * instructions
	 */
	uint64_t counted;
	bool is_slow;  /* something in the span may have taken any time */
	uint64_t rate; /* nanoseconds per unit of work * 65536 */
	/* a span of counted work was measured: later ones change the rate
	 * gradually
	 */
	bool knows_cycle;
};

struct cycle_rate cycle_rate_new(void);

/* Starts a new span. */
static inline void cycle_rate_begin(struct cycle_rate *cycles)
{
	cycles->work = 0;
	cycles->counted = 0;
	cycles->is_slow = false;
}

/* Returns how long @work usually takes. */
static inline uint64_t cycle_rate_ns(const struct cycle_rate *cycles,
				     uint64_t work)
{
	return (work * cycles->rate) >> 16;
}

/* Returns how long the span's work may take without being slow. */
uint64_t cycle_rate_longest_ns(const struct cycle_rate *cycles);

/* Updates the rate: the span's work took @span_ns. */
void cycle_rate_learn(struct cycle_rate *cycles, uint64_t span_ns);

#endif
