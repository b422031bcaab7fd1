/* SPDX-License-Identifier: MIT */
#include "common/clocks.h"

#include <time.h>

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t monotonic_ns(void)
{
	return (uint64_t)read_clock(CLOCK_MONOTONIC);
}

uint64_t monotonic_ms(void)
{
	return monotonic_ns() / 1000000;
}

int64_t realtime_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}
