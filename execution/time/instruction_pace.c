/* SPDX-License-Identifier: MIT */
#include "execution/time/instruction_pace.h"

/* Fewer say too little. */
enum { ENOUGH_INSTRUCTIONS = 4096 };

/* As long as 2^40 ns the sum can be shifted. */
#define LONGEST_SUM_NS ((uint64_t)1 << 40)

void instruction_pace_sync(struct instruction_pace *pace)
{
	if (pace->sum_instructions >= ENOUGH_INSTRUCTIONS && pace->sum_ns &&
	    pace->sum_ns < LONGEST_SUM_NS)
		pace->rate = (pace->sum_ns << 16) / pace->sum_instructions;
	pace->sum_ns = 0;
	pace->sum_instructions = 0;
	pace->is_across = true;
}
