/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_TICK_SCALE_H
#define KT_EXECUTION_TICK_SCALE_H

#include "decoder/recording/time_conversion.h"

#include <stdint.h>

/* A struct time_conversion as two factors, for fast conversion of many values:
 * the whole nanoseconds of a tick, and the fraction in 2^64ths.
 */
struct tick_scale {
	uint64_t whole;
	uint64_t part;
	uint64_t zero;
};

static inline struct tick_scale
tick_scale_of(const struct time_conversion *conversion)
{
	uint64_t below;

	if (!conversion->known)
		return (struct tick_scale){ .whole = 1 };
	below = conversion->mult & (((uint64_t)1 << conversion->shift) - 1);
	return (struct tick_scale){
		.whole = conversion->mult >> conversion->shift,
		.part = conversion->shift ? below << (64 - conversion->shift) :
					    0,
		.zero = conversion->zero,
	};
}

/* Returns the same as time_conversion_ns(). */
static inline uint64_t tick_scale_ns(const struct tick_scale *scale,
				     uint64_t ticks)
{
	return scale->zero + ticks * scale->whole +
	       (uint64_t)((unsigned __int128)ticks * scale->part >> 64);
}

#endif
