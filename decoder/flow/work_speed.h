/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_WORK_SPEED_H
#define KT_DECODER_WORK_SPEED_H

#include <stdbool.h>
#include <stdint.h>

/* How long work takes, learnt from spans of it between two known times.  Work
 * is what a trace unit counted, such as cycles, or else instructions.
 */
struct work_speed {
	uint64_t work;	  /* of the span under way */
	uint64_t counted; /* of it: all but what instructions stand for */
	uint64_t rate;	  /* nanoseconds per piece of work * 65536 */
	bool knows_cycle; /* it is, or was, of counted work */
};

struct work_speed work_speed_new(void);

/* A span ended. */
static inline void work_speed_begin(struct work_speed *speed)
{
	speed->work = 0;
	speed->counted = 0;
}

/* Returns how long @work usually takes. */
static inline uint64_t work_speed_ns(const struct work_speed *speed,
				     uint64_t work)
{
	return (work * speed->rate) >> 16;
}

/* Returns how long the span's work may take without being slow. */
uint64_t work_speed_longest_ns(const struct work_speed *speed);

/* The span's work took @span_ns. */
void work_speed_learn(struct work_speed *speed, uint64_t span_ns);

#endif
