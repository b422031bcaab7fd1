/* SPDX-License-Identifier: MIT */
#include "decoder/flow/cycle_rate.h"

enum {
	/* Where nothing was measured. */
	FIRST_RATE = 65536 / 4,
	/* Work may take longer than usual by this part of it: instructions
	 * differ much, counted cycles hardly; and by so many nanoseconds.
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

	return cycle_rate_ns(cycles, cycles->work) +
	       cycle_rate_ns(cycles, error) +
	       (guessed || !cycles->counted ? INSTRUCTIONS_ERROR_NS :
					      COUNT_ERROR_NS);
}

/* Follows the usual cycles; a slow span hardly counts. */
static void follow(struct cycle_rate *cycles, uint64_t rate, unsigned int error,
		   unsigned int growth)
{
	if (rate < cycles->rate + cycles->rate / error)
		cycles->rate += rate / 16 - cycles->rate / 16;
	else
		cycles->rate += cycles->rate / growth;
}

void cycle_rate_learn(struct cycle_rate *cycles, uint64_t span_ns)
{
	bool is_counted = cycles->counted == cycles->work;

	if (cycles->work < 16 || !span_ns || span_ns >= 1u << 30)
		return;

	uint64_t rate = (span_ns << 16) / cycles->work;

	if (!is_counted)
		follow(cycles, rate, INSTRUCTIONS_ERROR, 64);
	else if (cycles->knows_cycle)
		follow(cycles, rate, COUNT_ERROR, 256);
	else
		cycles->rate = rate;
	cycles->knows_cycle |= is_counted;
}
