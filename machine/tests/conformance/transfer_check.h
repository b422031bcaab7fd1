/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_TRANSFER_CHECK_H
#define KT_MACHINE_TESTS_TRANSFER_CHECK_H

#include "machine/tests/conformance/transfers.h"
#include "machine/tests/conformance/truth_reader.h"

/* Compares all transfers of a recording with the truth's, in order. The
 * recording must have no compressed returns.
 */
enum { TRANSFER_RETURNS_MAX = 256 };

struct transfer_check {
	struct truth_reader *truth; /* borrowed */
	uint32_t passed_over;	    /* number of candidate sessions skipped */
	bool is_near; /* the stream may start in the session tried */
	struct truth_event session; /* start of a session, read ahead */
	bool has_session;
	const struct recording *recording; /* borrowed */
	bool events, no_tnt;		   /* options of the recording */

	uint64_t handlers[256]; /* address per vector seen */
	/* Addresses of the kernel's returning instructions, and whether each is
	 * IRET.
	 */
	struct {
		uint64_t from;
		bool iret;
	} returns[TRANSFER_RETURNS_MAX];
	unsigned return_count;

	uint64_t compared, interrupts, faults, irets, wakes;
	uint64_t offset; /* of the last transfer */
	char wrong[256]; /* first difference; "" if none */
};

/* Compares @stream with the truth, from the first session on that starts no
 * earlier than @stream, with a tolerance of @slack ticks; or from the session
 * that is check->passed_over sessions later. Returns true if there is no
 * difference.
 */
bool transfer_check_run(struct transfer_check *check,
			const struct recording *recording,
			const struct trace_stream *stream,
			struct transfers *transfers, uint64_t slack);

#endif
