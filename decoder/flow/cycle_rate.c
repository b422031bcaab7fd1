/* SPDX-License-Identifier: MIT */
#include "decoder/flow/cycle_rate.h"

enum {
	/* Used until a span was measured. */
	FIRST_RATE = 65536 / 4,
	/* Work may take longer than usual by work / ..._ERROR (instructions
	 * vary much, counted cycles hardly) plus ..._ERROR_NS nanoseconds.
	 */
	INSTRUCTIONS_ERROR = 2,
	INSTRUCTIONS_ERROR_NS = 32,
	COUNT_ERROR = 32,
	COUNT_ERROR_NS = 4,
};

struct cycle_rate cycle_rate_new(void)
{
	return (struct cycle_rate){ .rate = FIRST_RATE };
}

uint64_t cycle_rate_longest_ns(const struct cycle_rate *cycles)
{
	uint64_t guessed = cycles->work - cycles->counted;
	uint64_t error =
		guessed / INSTRUCTIONS_ERROR + cycles->counted / COUNT_ERROR;

	return cycle_rate_ns(cycles, cycles->work + error) +
	       (cycles->counted ? COUNT_ERROR_NS : INSTRUCTIONS_ERROR_NS);
}

static void approach(struct cycle_rate *cycles, uint64_t rate)
{
	cycles->rate += rate / 16 - cycles->rate / 16;
}

static void learn_counted(struct cycle_rate *cycles, uint64_t rate)
{
	if (cycles->knows_cycle)
		approach(cycles, rate);
	else
		cycles->rate = rate;
	cycles->knows_cycle |= !cycles->is_slow;
}

/* Learns from a span of instructions: one much longer than usual has little
 * weight.
 */
static void learn_guessed(struct cycle_rate *cycles, uint64_t rate)
{
	if (rate < cycles->rate + cycles->rate / INSTRUCTIONS_ERROR)
		approach(cycles, rate);
	else
		cycles->rate += cycles->rate / 64;
}

void cycle_rate_learn(struct cycle_rate *cycles, uint64_t span_ns)
{
	if (cycles->work < 16 || !span_ns || span_ns >= 1u << 30)
		return;

	uint64_t rate = (span_ns << 16) / cycles->work;

	/* Whether, and for how much of the span, something slow ran is unknown:
	 * the span only gives an upper bound for the length of cycles.
	 */
	if (cycles->is_slow && rate >= cycles->rate)
		return;
	if (cycles->counted == cycles->work)
		learn_counted(cycles, rate);
	else
		learn_guessed(cycles, rate);
}
