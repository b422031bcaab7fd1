/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_GMON_LAYOUT_H
#define KT_REPORT_GMON_LAYOUT_H

#include "report/profile/function_profile.h"

#include <stdint.h>

/* Functions in the form that gprof expects: row N of a profile is code of
 * GMON_FUNCTION_BYTES bytes at gmon_address(N). One more row after the last
 * stands for unknown callers, because gprof drops the counts of calls from
 * addresses without a function.
 */
enum { GMON_FUNCTION_BYTES = 16 };

#define GMON_BASE UINT64_C(0x400000)

static inline uint64_t gmon_address(uint64_t row)
{
	return GMON_BASE + row * GMON_FUNCTION_BYTES;
}

#define GMON_NOBODY_NAME "[unseen]"

/* The scale of times in gprof's 16-bit bins. A file may have several histograms
 * of one range, which gprof adds up.
 */
struct gmon_scale {
	uint32_t rate; /* bin units per second */
	/* number of histograms, so that no bin overflows */
	uint32_t histograms;
};

/* Returns the finest scale for bins up to @max_ns. */
struct gmon_scale gmon_scale_for(uint64_t max_ns);

/* Returns @time_ns in units of @scale, rounded. */
uint64_t gmon_units(const struct gmon_scale *scale, uint64_t time_ns);

#endif
