/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_MATCH_H
#define KT_MACHINE_TESTS_MATCH_H

#include "machine/tests/conformance/time_error.h"
#include "machine/tests/functions/replay.h"
#include "machine/tests/functions/timeline.h"

struct recording;

/* One CPU's timeline against the truth. */
struct match {
	uint64_t compared;
	uint64_t left_out; /* of the timeline, as unseen */
	bool differs;
	struct time_error error; /* in ns */
	uint64_t outside; /* true times outside the interval stated, and slack */
};

/* Compares what both say of @cpu, one by one, and shows the first difference
 * on stdout.  @all: what began or ended unseen as well.  @slack_ns: how far two
 * readings of the clock for one moment are apart.
 */
void match_cpu(struct match *match, const struct recording *recording,
	       const struct replay *replay, const struct timeline *timeline,
	       uint32_t cpu, bool all, uint64_t slack_ns);

#endif
