/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_CLOCKS_H
#define KT_COMMON_CLOCKS_H

/* Clocks and durations. Two kinds of time are never mixed: monotonic time, for
 * deadlines and recordings, and CLOCK_REALTIME, which may jump. Only struct
 * clock_reading connects them, with bounds of the error: both clocks are read
 * within bracket_ns, and the kernel reports the error of CLOCK_REALTIME. All
 * times are 64-bit nanoseconds unless a name has another unit; functions have
 * no state.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Parses a duration of at most 24 characters, such as "10us" or "1.5ms", with
 * the unit ns, us, ms or s; without a unit, seconds.
 *
 * Returns whether @text is a duration that fits into 64 bits.
 */
bool duration_read(const char *text, uint64_t *duration_ns);

/* Return the time of CLOCK_MONOTONIC, in ns and in whole ms. */
uint64_t monotonic_ns(void);

uint64_t monotonic_ms(void);

/* Returns the CPU time of this thread. */
uint64_t thread_cpu_ns(void);

/* Returns the time of CLOCK_REALTIME: ns since 1970. */
int64_t realtime_ns(void);

/* A simultaneous reading of a recording's clock and CLOCK_REALTIME, with the
 * kernel's information about CLOCK_REALTIME: status, esterror and maxerror of
 * adjtimex(2).
 */
struct clock_reading {
	bool is_known;
	uint64_t clock_ns;    /* the recording's clock */
	int64_t realtime_ns;  /* CLOCK_REALTIME, since 1970 */
	uint64_t bracket_ns;  /* the two were read within this time */
	uint32_t status;      /* STA_* bits of linux/timex.h */
	uint64_t esterror_ns; /* estimated error of CLOCK_REALTIME */
	uint64_t maxerror_ns; /* upper bound of that error */
};

/* The readings of a recording: at the start and at the end of tracing. */
struct clock_readings {
	struct clock_reading begin;
	struct clock_reading end;
	/* The time for which record --activate waited before it started the
	 * trace: ns of CLOCK_REALTIME since 1970; 0: none.
	 */
	int64_t activate_ns;
};

/* Returns CLOCK_REALTIME minus the recording's clock, in ns. */
static inline int64_t clock_reading_offset(const struct clock_reading *reading)
{
	return (int64_t)((uint64_t)reading->realtime_ns - reading->clock_ns);
}

/* Writes the readings in the format of kcore_dir/clock (docs/formats.md). */
void clock_readings_write(const struct clock_readings *readings, FILE *out);

/* Sets @readings from @size bytes of @text, the output of
 * clock_readings_write(). Ignores unknown lines; readings without a line are
 * zero.
 */
void clock_readings_parse(struct clock_readings *readings, const char *text,
			  size_t size);

#endif
