/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_COMPARE_H
#define KT_MACHINE_TESTS_COMPARE_H

#include "machine/tests/conformance/expected.h"
#include "machine/tests/conformance/flow.h"
#include "machine/tests/conformance/time_error.h"

struct comparison {
	uint64_t compared;   /* items that are equal on both sides */
	uint64_t early_ends; /* those of them accepted by equal_but_early() */
	uint64_t mismatches; /* 0 or 1: comparing stops at the first */
	uint64_t sessions;   /* of the truth, compared */
	uint64_t unclaimed_sessions; /* of the truth, in no recording */
	uint64_t unclaimed;	     /* items in them */
	struct time_error all;	     /* of every item */
	/* of items with their own packet: starts, ends, far transfers,
	 * interrupts
	 */
	struct time_error packet;
};

/* Compares all of @flow with @expected, from the first session that is not
 * older than the flow (within @slack TSC ticks), in order. Prints differences
 * to stdout. Leaves @expected at the session after the flow.
 */
void compare_flow(struct comparison *comparison, struct flow *flow,
		  struct expected *expected, uint64_t slack);

/* Counts the remaining items of @expected as unclaimed. */
void compare_rest(struct comparison *comparison, struct expected *expected);

#endif
