/* SPDX-License-Identifier: MIT */
#include "decoder/flow/cycle_rate.h"

enum {
	/* Where nothing was measured. */
	FIRST_RATE = 65536 / 4,
	/* Work may take longer than usual by this part of it: instructions
	 * differ much, counted cycles hardly; and by so many nanoseconds.
	 */
	INSTRUCTIONS_DOUBT = 2,
	INSTRUCTIONS_DOUBT_NS = 32,
	COUNT_DOUBT = 32,
	COUNT_DOUBT_NS = 4,
};

struct cycle_rate cycle_rate_new(void)
{
	return (struct cycle_rate){ .rate = FIRST_RATE };
}

uint64_t cycle_rate_longest_ns(const struct cycle_rate *speed)
{
	uint64_t guessed = speed->work - speed->counted;
	uint64_t doubt =
		guessed / INSTRUCTIONS_DOUBT + speed->counted / COUNT_DOUBT;

	return cycle_rate_ns(speed, speed->work) + cycle_rate_ns(speed, doubt) +
	       (guessed || !speed->counted ? INSTRUCTIONS_DOUBT_NS :
					     COUNT_DOUBT_NS);
}

/* Follows the usual speed; a slow span hardly counts. */
static void follow(struct cycle_rate *speed, uint64_t rate, unsigned int doubt,
		   unsigned int growth)
{
	if (rate < speed->rate + speed->rate / doubt)
		speed->rate += rate / 16 - speed->rate / 16;
	else
		speed->rate += speed->rate / growth;
}

void cycle_rate_learn(struct cycle_rate *speed, uint64_t span_ns)
{
	bool is_counted = speed->counted == speed->work;

	if (speed->work < 16 || !span_ns || span_ns >= 1u << 30)
		return;

	uint64_t rate = (span_ns << 16) / speed->work;

	if (!is_counted)
		follow(speed, rate, INSTRUCTIONS_DOUBT, 64);
	else if (speed->knows_cycle)
		follow(speed, rate, COUNT_DOUBT, 256);
	else
		speed->rate = rate;
	speed->knows_cycle |= is_counted;
}
