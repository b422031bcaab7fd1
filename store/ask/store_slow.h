/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_SLOW_H
#define KT_STORE_SLOW_H

#include "store/ask/measure_query.h"

struct store_slow {
	struct measure_choice choice;
	uint64_t times; /* of its item's median, at least */
	uint64_t top;	/* rows; UINT64_MAX: all */
};

/* Asks for the outliers: what took longest, at least so many times as long as
 * half of what has the same item; with the thread, the recording and the command
 * that opens it there and then.
 *
 * Returns 0 and @answer, or a negative enum error said to the target's log;
 * answer_free() it if 0.
 */
int store_slow_ask(const struct store_slow *slow, struct store_target *target,
		   struct answer *answer);

#endif
