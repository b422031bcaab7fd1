/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CYCLE_RATE_H
#define KT_DECODER_CYCLE_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* The rate says how long cycles take, learnt from spans of them between two
 * known times: cycles or whatever else the trace unit counted as work, or else
 * instructions.
 */
struct cycle_rate {
	uint64_t work;	  /* of the span under way */
	uint64_t counted; /* of it: all but what instructions stand for */
	bool is_slow;	  /* something in it may have taken any time */
	uint64_t rate;	  /* nanoseconds per piece of work * 65536 */
	bool knows_cycle; /* it is, or was, of counted work */
};

struct cycle_rate cycle_rate_new(void);

/* A span ended. */
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

/* The span's work took @span_ns. */
void cycle_rate_learn(struct cycle_rate *cycles, uint64_t span_ns);

#endif
