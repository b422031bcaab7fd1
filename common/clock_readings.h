/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_CLOCK_READINGS_H
#define KT_COMMON_CLOCK_READINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a recording's clock and CLOCK_REALTIME said at one moment, and what the
 * kernel knew then of the latter: adjtimex(2), whose words these are.
 */
struct clock_reading {
	bool is_known;
	uint64_t clock_ns;    /* the recording's clock */
	int64_t realtime_ns;  /* CLOCK_REALTIME, since 1970 */
	uint64_t bracket_ns;  /* the two were read within this time */
	uint32_t status;      /* STA_* bits of linux/timex.h */
	uint64_t esterror_ns; /* estimated error of CLOCK_REALTIME */
	uint64_t maxerror_ns; /* the largest that it may have */
};

/* Those of a recording: when tracing began and when it ended. */
struct clock_readings {
	struct clock_reading begin;
	struct clock_reading end;
	/* The instant of CLOCK_REALTIME for which record --activate waited;
	 * 0: it did not.
	 */
	int64_t activate_ns;
};

/* Returns CLOCK_REALTIME minus the recording's clock. */
static inline int64_t clock_reading_offset(const struct clock_reading *reading)
{
	return (int64_t)((uint64_t)reading->realtime_ns - reading->clock_ns);
}

/* Writes them as kcore_dir/clock of a recording has them (docs/formats.md). */
void clock_readings_write(const struct clock_readings *readings, FILE *out);

/* Reads what that wrote, @size bytes of @text.  Lines that are something else
 * tell nothing.
 */
void clock_readings_parse(struct clock_readings *readings, const char *text,
			  size_t size);

#endif
