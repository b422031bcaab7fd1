/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_BLOCK_CLOCK_H
#define KT_DECODER_BLOCK_CLOCK_H

#include "decoder/flow/flow.h"
#include "decoder/flow/flow_batch.h"

#include <stdbool.h>
#include <stdint.h>

struct intel_tokens;
struct time_conversion;

/* Tells when blocks began: follows the tokens of a trace in step with a block
 * decoder that reads the same bytes.
 *
 * A conditional branch takes a bit of a TNT token; a return takes a bit if it
 * was compressed, else a TIP; indirect branches and far transfers take a TIP.
 * The bits of a TNT are older than the packet by up to its size: only the
 * block behind the last bit began when the packet says.
 */
struct block_clock;

/* Borrows both.  Returns NULL when out of memory. */
struct block_clock *block_clock_new(struct intel_tokens *tokens,
				    const struct time_conversion *conversion);
void block_clock_free(struct block_clock *clock);

/* Sets *@stamp to when the next item begins. */
void block_clock_stamp(const struct block_clock *clock,
		       struct flow_stamp *stamp);

/* Whether the next token is a TIP: an indirect branch would take it. */
bool block_clock_expects_address(const struct block_clock *clock);

/* A block ran, ended by @exit.  @takes_address: it is an indirect branch, of which
 * block_clock_expects_address() was true.  Returns false if the token that it
 * should take is not there.
 */
bool block_clock_branch(struct block_clock *clock, enum flow_exit exit,
			bool takes_address);

/* An event came whose last token is of @kind (enum intel_packet_kind): goes
 * behind the next of that kind.  Returns false if there is none near.
 */
bool block_clock_event(struct block_clock *clock, uint8_t kind);

/* Starts again at the first token that is not before @position. */
void block_clock_seek(struct block_clock *clock, uint64_t position);

/* When the last token was: by CYC where they tell, else the middle of when it
 * can have been, or its earliest time.
 */
uint64_t block_clock_guess_ns(const struct block_clock *clock);

#endif
