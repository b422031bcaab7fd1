/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_NEAR_BRANCH_H
#define KT_DECODER_NEAR_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A near call or jump of x86 in 64-bit mode. */
struct near_branch {
	uint8_t length;		/* bytes; 0 if it is none */
	bool is_indirect;	/* its target is not in its bytes */
};

/* Looks at the branch at the start of @bytes, @size of which are there
 * (Intel SDM, volume 2: CALL, JMP; prefixes; ModR/M).
 */
struct near_branch near_branch_read(const uint8_t *bytes, size_t size);

#endif
