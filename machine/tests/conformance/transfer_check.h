/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_TRANSFER_CHECK_H
#define KT_MACHINE_TESTS_TRANSFER_CHECK_H

#include "machine/tests/conformance/transfers.h"
#include "machine/tests/conformance/truth_reader.h"

/* Compares a recording's transfers with the truth's, in order, all of them: the
 * recording has no compressed returns.
 */
enum { TRANSFER_RETURNS_MAX = 256 };

struct transfer_check {
	struct truth_reader *truth; /* borrowed */
	uint32_t passed_over; /* sessions of those that the stream may begin in */
	bool is_near;	      /* it may begin in the one that was tried */
	struct truth_event session; /* read already: where one begins */
	bool has_session;
	const struct recording *recording; /* borrowed */
	bool events, no_tnt;		   /* what it asks for */

	uint64_t handlers[256]; /* of each vector seen */
	/* Where the kernel returns from, and whether by IRET. */
	struct {
		uint64_t from;
		bool iret;
	} returns[TRANSFER_RETURNS_MAX];
	unsigned return_count;

	uint64_t compared, interrupts, faults, irets, wakes;
	uint64_t offset; /* of the last transfer */
	char wrong[256]; /* what differed first; "" if nothing */
};

/* Compares @stream with the truth from the first session not older than it on,
 * within @slack ticks, or one behind that: check->passed_over.  Returns true if
 * all is as it should be.
 */
bool transfer_check_run(struct transfer_check *check,
			const struct recording *recording,
			const struct trace_stream *stream,
			struct transfers *transfers, uint64_t slack);

#endif
