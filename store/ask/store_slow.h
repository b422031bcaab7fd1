/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_SLOW_H
#define KT_STORE_SLOW_H

#include "store/ask/measure_query.h"

struct store_slow {
	struct measure_choice choice;
	uint64_t times; /* minimum, as a multiple of the item's median */
	uint64_t top;	/* number of rows; UINT64_MAX: all */
};

/* Reports outliers, longest first: durations of at least the given multiple of
 * the median of their item, with the thread, the recording, and a command that
 * opens the recording at that time.
 *
 * Returns 0 and @answer, or a negative enum error logged to the target's log.
 * Call answer_free() after success.
 */
int store_slow_ask(const struct store_slow *slow, struct store_target *target,
		   struct answer *answer);

#endif
