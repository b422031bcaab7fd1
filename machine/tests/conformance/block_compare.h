/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_BLOCK_COMPARE_H
#define KT_MACHINE_TESTS_BLOCK_COMPARE_H

#include "machine/tests/conformance/block_items.h"
#include "machine/tests/conformance/expected.h"
#include "machine/tests/conformance/time_error.h"

#include <stdbool.h>
#include <stdint.h>

/* This is what ktrace-hw decoded of one recording, and how it agrees with the
 * truth.
 */
struct block_compare {
	struct block_items items;
	struct item kept; /* of the decoder's items, read ahead */
	bool has_kept;
	uint32_t kept_cpu;
	uint32_t cpu;		   /* of the item last taken */
	struct expected *expected; /* borrowed */
	uint64_t compared;
	uint64_t sessions;
	uint64_t missing; /* of the truth's items, in gaps */
	struct item loop; /* the branch that ran behind the last gap, and */
	bool is_in_loop;  /* nothing else since */
	uint64_t offset;  /* of the decoder's clock to the truth's */
	struct time_error times;
	uint64_t outside; /* items that the truth has at no time they allow */
};

void block_compare_open(struct block_compare *compare, FILE *text,
			struct expected *expected);

/* Compares all that was decoded of @cpu, and that there is nothing more in the
 * truth's session then.  Behind a gap it looks for the place where both agree
 * again.  Differences are shown on stdout.
 */
bool block_compare_run(struct block_compare *compare, uint32_t cpu);

/* This is what one gap may hide: when its buffer is full, a trace unit begins
 * anew, with an address.  Hidden are the branches of the packet that did not
 * get in (24 atoms at most, ETMv4's atom format 6) and those up to that
 * address.  In the recording with a small buffer two gaps hide 23 of
 * 4,244,639.
 */
enum { BLOCK_COMPARE_HIDDEN = 32 };

/* Whether the gaps hide more than that, one with another, or more than
 * a thousandth of what was compared: so many are no accident.
 */
bool block_compare_misses_much(const struct block_compare *compare);

/* What the truth has in no recording. */
uint64_t block_compare_rest(struct expected *expected);

#endif
