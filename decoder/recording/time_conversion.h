/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TIME_CONVERSION_H
#define KT_DECODER_TIME_CONVERSION_H

#include <stdbool.h>
#include <stdint.h>

/* Converts ticks of the CPU's time stamp counter to the recording's clock, by
 * the rule of struct perf_event_mmap_page (time_shift, time_mult, time_zero).
 *
 * Ticks count from @origin, which is 0 unless the counter nears the limit of
 * the 56 bits of a TSC packet: time_conversion_set_origin(). @zero is the time
 * when the counter's value is @origin.
 */
struct time_conversion {
	uint32_t shift;
	uint64_t mult;
	uint64_t zero;
	uint64_t origin; /* a value of the counter, a multiple of 1 << shift */
	bool known;	 /* false: ticks are treated as nanoseconds */
};

/* Sets the origin so that all ticks of a recording, some of which are at
 * @near_ns, are below 1 << 56, whatever the counter's value.
 */
void time_conversion_set_origin(struct time_conversion *conversion,
				uint64_t near_ns);

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

/* Returns the conversion of @recording. */
struct recording;
const struct time_conversion *
recording_time_conversion(const struct recording *recording);

/* Returns the first tick at or after @ns; 0 if the origin is later. */
uint64_t time_conversion_ticks(const struct time_conversion *conversion,
			       uint64_t ns);

#endif
