/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_TOKENS_H
#define KT_DECODER_INTEL_TOKENS_H

#include "decoder/intel_pt/intel_packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intel_clock_setup;
struct intel_packet;

/* A packet that reports control flow, with its time: the TSC lies within [low,
 * high], in 256ths of a tick; low 0 and high UINT64_MAX are no bound.
 */
struct intel_token {
	uint64_t position; /* in the bytes */
	uint64_t low;
	uint64_t high;
	/* if reading starts with this packet, the earliest start of the
	 * execution that leads to it: the time of a PSB right before, or else
	 * of the last time packet; 0 if none
	 */
	uint64_t begin;
	uint64_t estimate; /* if has_estimate */
	uint8_t kind;	   /* TNT, TIP, TIP_PGE, TIP_PGD or OVF */
	uint8_t bits;	   /* TNT */
	bool has_estimate;
	bool is_exact; /* its last branch ran when it was written */
};

/* The tokens of some trace bytes in order. A token's bounds are known only
 * when the next time packet has been seen, so this reads ahead of its user:
 * as far as one time packet, in memory of that many tokens.
 */
struct intel_tokens;

/* Borrows @bytes. Returns NULL when out of memory. */
struct intel_tokens *intel_tokens_new(const uint8_t *bytes, size_t size,
				      const struct intel_clock_setup *setup);
void intel_tokens_free(struct intel_tokens *tokens);

/* Returns the token @ahead of the first not dropped yet, valid until the next
 * call; NULL if there is none.
 */
const struct intel_token *intel_tokens_peek(struct intel_tokens *tokens,
					    size_t ahead);

/* Drops @count tokens, which must have been peeked at. */
void intel_tokens_drop(struct intel_tokens *tokens, size_t count);

/* Drops all tokens before @position. */
void intel_tokens_seek(struct intel_tokens *tokens, uint64_t position);

#endif
