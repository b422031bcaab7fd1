/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_INTEL_TOKENS_INTERNAL_H
#define KT_DECODER_LIBIPT_INTEL_TOKENS_INTERNAL_H

#include "decoder/flow/flow.h"
#include "decoder/flow/flow_batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intel_clock_setup;
struct time_conversion;

/* A packet that reports control flow, with its time: the TSC lies within [low,
 * high], in 256ths of a tick; low 0 and high UINT64_MAX are not bounds.
 */
struct intel_token {
	uint64_t position; /* in the bytes */
	uint64_t low;
	uint64_t high;
	/* lower bound of the start of the execution that leads to this packet,
	 * if decoding starts here: the time of a PSB right before it, or else
	 * of the last time packet; 0 if none
	 */
	uint64_t begin;
	uint64_t estimate; /* if has_estimate */
	uint8_t kind;	   /* TNT, TIP, TIP_PGE, TIP_PGD or OVF */
	uint8_t bits;	   /* TNT */
	bool has_estimate;
	bool is_exact; /* its last branch ran when it was written */
};

/* The tokens of some trace bytes in order. A token's bounds are known only when
 * the next time packet has been read, so a struct intel_tokens reads ahead up
 * to one time packet, and stores the tokens before it.
 */
struct intel_tokens;

/* Returns the tokens of the @size bytes at @bytes, which are borrowed, from the
 * first PSB on; NULL when out of memory.
 */
struct intel_tokens *intel_tokens_new(const uint8_t *bytes, size_t size,
				      const struct intel_clock_setup *setup);

void intel_tokens_free(struct intel_tokens *tokens);

/* Returns the token with index @ahead, counted from the first one not dropped,
 * valid until the next call; NULL if there is none.
 */
const struct intel_token *intel_tokens_peek(struct intel_tokens *tokens,
					    size_t ahead);

/* Drops @count tokens, which must have been peeked at. */
void intel_tokens_drop(struct intel_tokens *tokens, size_t count);

/* Determines when blocks began: follows the tokens of a trace in step with a
 * block decoder that reads the same bytes.
 *
 * A conditional branch consumes a bit of a TNT token; a return consumes a bit
 * if it was compressed, else a TIP; indirect branches and far transfers consume
 * a TIP. The bits of a TNT are older than the packet by up to its size: only
 * the block after the last bit began at the packet's time.
 */
struct branch_cursor;

/* Returns a cursor at the first of @tokens, borrowing both arguments; NULL when
 * out of memory.
 */
struct branch_cursor *
branch_cursor_new(struct intel_tokens *tokens,
		  const struct time_conversion *conversion);

void branch_cursor_free(struct branch_cursor *cursor);

/* Sets *@stamp to the start time of the next item. */
void branch_cursor_stamp(const struct branch_cursor *cursor,
			 struct flow_stamp *stamp);

/* Returns whether the next token is a TIP, which an indirect branch would
 * consume.
 */
bool branch_cursor_expects_address(const struct branch_cursor *cursor);

/* Moves past the branch @exit that ended a block. Must be called after each
 * block. @takes_address: the branch is indirect, for which
 * branch_cursor_expects_address() was true. Returns false if the next token is
 * not the one that the branch consumes.
 */
bool branch_cursor_branch(struct branch_cursor *cursor, enum flow_exit exit,
			  bool takes_address);

/* Moves past the next token of @kind (enum intel_packet_kind), the last token
 * of an event. Must be called after each event. Returns false if no such token
 * is near.
 */
bool branch_cursor_event(struct branch_cursor *cursor, uint8_t kind);

/* Restarts at the first token at or after @position. */
void branch_cursor_seek(struct branch_cursor *cursor, uint64_t position);

/* Returns the time of the last token: by CYC if possible, else the middle of
 * its bounds, or its lower bound.
 */
uint64_t branch_cursor_guess_ns(const struct branch_cursor *cursor);

#endif
