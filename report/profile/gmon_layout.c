/* SPDX-License-Identifier: MIT */
#include "report/profile/gmon_layout.h"

enum { MAX_HISTOGRAMS = 64, NS_PER_SECOND = 1000000000 };

struct gmon_scale gmon_scale_for(uint64_t max_ns)
{
	const double room = (double)MAX_HISTOGRAMS * UINT16_MAX;
	double seconds = (double)max_ns / NS_PER_SECOND;
	struct gmon_scale scale = { .rate = NS_PER_SECOND };
	uint64_t units;

	if (seconds * scale.rate > room)
		scale.rate = (uint32_t)(room / seconds);
	if (!scale.rate)
		scale.rate = 1;
	units = gmon_units(&scale, max_ns);
	scale.histograms = (uint32_t)(units / UINT16_MAX) + 1;
	return scale;
}

uint64_t gmon_units(const struct gmon_scale *scale, uint64_t time_ns)
{
	return (uint64_t)((double)time_ns * scale->rate / NS_PER_SECOND + 0.5);
}
