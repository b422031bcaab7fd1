/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TIME_CONVERSION_H
#define KT_DECODER_TIME_CONVERSION_H

#include <stdbool.h>
#include <stdint.h>

/* From the CPU's time stamp counter to the recording's clock, by the rule of
 * struct perf_event_mmap_page (time_shift, time_mult, time_zero).
 */
struct time_conversion {
	uint32_t shift;
	uint64_t mult;
	uint64_t zero;
	bool known; /* else ticks are taken for nanoseconds */
};

/* Returns the nanoseconds of @ticks. */
static inline uint64_t
time_conversion_ns(const struct time_conversion *conversion, uint64_t ticks)
{
	if (!conversion->known)
		return ticks;

	uint64_t whole = ticks >> conversion->shift;
	uint64_t part = ticks & (((uint64_t)1 << conversion->shift) - 1);

	return conversion->zero + whole * conversion->mult +
	       (part * conversion->mult >> conversion->shift);
}

/* That of @recording. */
struct recording;
const struct time_conversion *
recording_time_conversion(const struct recording *recording);

/* Returns the first tick that is not before @ns. */
uint64_t time_conversion_ticks(const struct time_conversion *conversion,
			       uint64_t ns);

#endif
