/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_MATCH_H
#define KT_MACHINE_TESTS_MATCH_H

#include "machine/tests/conformance/time_error.h"
#include "machine/tests/functions/replay.h"
#include "machine/tests/functions/timeline.h"

struct recording;

/* The result of comparing one CPU's timeline with the truth. */
struct match {
	uint64_t compared;
	uint64_t left_out; /* timeline entries omitted as untraced */
	bool differs;
	struct time_error error; /* in ns */
	/* true times outside the reported bounds plus slack */
	uint64_t outside;
};

/* Compares the timeline and the truth of @cpu entry by entry and prints the
 * first difference to stdout. @all: includes functions that started or ended
 * untraced. @slack_ns: how much two clock readings of the same instant may
 * differ.
 */
void match_cpu(struct match *match, const struct recording *recording,
	       const struct replay *replay, const struct timeline *timeline,
	       uint32_t cpu, bool all, uint64_t slack_ns);

#endif
