/* SPDX-License-Identifier: MIT */
#include "execution/time/instruction_pace.h"

enum {
	/* Fewer are not reliable, */
	ENOUGH_INSTRUCTIONS = 4096,
	/* but are better than none; */
	SOME_INSTRUCTIONS = 256,
	/* without any measurement: four instructions per nanosecond. */
	UNMEASURED_RATE = 65536 / 4,
};

/* Up to 2^40 ns the sum can be shifted without overflow. */
#define LONGEST_SUM_NS ((uint64_t)1 << 40)

static uint64_t measured_rate(const struct instruction_pace *pace)
{
	return (pace->sum_ns << 16) / pace->sum_instructions;
}

uint64_t instruction_pace_first_rate(const struct instruction_pace *pace)
{
	if (pace->sum_instructions < SOME_INSTRUCTIONS || !pace->sum_ns ||
	    pace->sum_ns >= LONGEST_SUM_NS)
		return UNMEASURED_RATE;
	return measured_rate(pace);
}

void instruction_pace_sync(struct instruction_pace *pace)
{
	if (pace->sum_instructions >= ENOUGH_INSTRUCTIONS && pace->sum_ns &&
	    pace->sum_ns < LONGEST_SUM_NS)
		pace->rate = measured_rate(pace);
	pace->sum_ns = 0;
	pace->sum_instructions = 0;
	pace->is_across = true;
}
