/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_BLOCK_COMPARE_H
#define KT_MACHINE_TESTS_BLOCK_COMPARE_H

#include "machine/tests/conformance/block_items.h"
#include "machine/tests/conformance/expected.h"
#include "machine/tests/conformance/time_error.h"

#include <stdbool.h>
#include <stdint.h>

/* The number of the truth's items, from the earliest time of the block after a
 * gap on, at which the decoder is expected to continue.
 */
enum { BLOCK_COMPARE_CANDIDATES = 5001 };

/* A position in the truth that agrees with all blocks since the last gap. */
struct candidate {
	struct expected at;
	uint64_t missing; /* the truth's items hidden by gaps */
	uint64_t sessions;
};

/* The blocks that ktrace-hw decoded from one recording, and how they agree with
 * the truth.
 *
 * A gap hides an unknown number of branches, and the first block after it may
 * be any iteration of a loop. Therefore each position after a gap is a
 * candidate until a block differs from it. The first candidate hides the fewest
 * items.
 */
struct block_compare {
	struct block_items items;
	struct item kept; /* a decoder item that was read ahead */
	bool has_kept;
	uint32_t kept_cpu;
	uint32_t cpu;		   /* of the last consumed item */
	struct expected *expected; /* borrowed */
	struct candidate candidates[BLOCK_COMPARE_CANDIDATES];
	unsigned int candidate_count;
	uint64_t compared;
	uint64_t sessions;
	uint64_t missing; /* the truth's items hidden by gaps */
	uint64_t offset;  /* from the truth's clock to the decoder's */
	uint64_t offset_error_ns;
	struct time_error times;
	uint64_t outside; /* items whose true time is outside their bounds */
};

void block_compare_open(struct block_compare *compare, FILE *text,
			struct expected *expected);

/* Compares everything that was decoded of @cpu, and checks that the truth's
 * session ends there, after which expected_next() continues. Prints differences
 * to stdout.
 */
bool block_compare_run(struct block_compare *compare, uint32_t cpu);

/* The number of branches that one gap may hide. When its buffer is full, a
 * trace unit restarts with an address. Hidden are the branches of the packet
 * that did not fit (24 atoms at most, ETMv4's atom format 6) and those up to
 * that address. In the recording with a small buffer, two gaps hide 23 of
 * 4,244,639.
 */
enum { BLOCK_COMPARE_HIDDEN = 32 };

/* Returns whether the gaps hide more than BLOCK_COMPARE_HIDDEN branches on
 * average, or more than a thousandth of the compared items: that is too many
 * for a coincidence.
 */
bool block_compare_misses_much(const struct block_compare *compare);

/* Returns the number of the truth's items that are in no recording. */
uint64_t block_compare_rest(struct expected *expected);

#endif
