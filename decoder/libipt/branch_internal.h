/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_BRANCH_INTERNAL_H
#define KT_DECODER_LIBIPT_BRANCH_INTERNAL_H

#include "decoder/flow/flow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length in bytes of the x86 instruction at the start of @bytes, in
 * 64-bit mode; 0 if it exceeds @size, or is VEX or EVEX coded, which is not
 * needed (Intel SDM, volume 2, appendix A: opcode maps).
 */
size_t instruction_length(const uint8_t *bytes, size_t size);

/* An x86 instruction in 64-bit mode, decoded as a branch. */
struct branch {
	enum flow_exit exit; /* FLOW_EXIT_NONE: it is not a branch */
	/* bytes, of near calls and jumps, conditional branches, system calls
	 * and interrupts; else 0
	 */
	uint8_t length;
	/* a near call or jump whose target is not in its bytes */
	bool is_indirect;
};

/* Decodes the instruction at the start of @bytes, of which @size are available
 * (Intel SDM, volume 2: opcode map, prefixes, ModR/M).
 */
struct branch branch_read(const uint8_t *bytes, size_t size);

/* Returns whether the block at @bytes, whose last instruction starts at @last,
 * contains an instruction that repeats itself (rep movs and the like) or waits
 * (hlt, mwait). @size bytes are available.
 *
 * The lengths of vector instructions are unknown, so after one the result is a
 * guess.
 */
bool block_looks_slow(const uint8_t *bytes, size_t size, size_t last);

#endif
