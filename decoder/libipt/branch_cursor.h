/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_BRANCH_CURSOR_H
#define KT_DECODER_BRANCH_CURSOR_H

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
struct branch_cursor;

/* Borrows both.  Returns NULL when out of memory. */
struct branch_cursor *
branch_cursor_new(struct intel_tokens *tokens,
		  const struct time_conversion *conversion);
void branch_cursor_free(struct branch_cursor *cursor);

/* Sets *@stamp to when the next item begins. */
void branch_cursor_stamp(const struct branch_cursor *cursor,
			 struct flow_stamp *stamp);

/* Returns whether the next token is a TIP: an indirect branch would take it. */
bool branch_cursor_expects_address(const struct branch_cursor *cursor);

/* A block ran, ended by @exit.  @takes_address: it is an indirect branch, of
 * which branch_cursor_expects_address() was true.  Returns false if the token
 * that it should take is not there.
 */
bool branch_cursor_branch(struct branch_cursor *cursor, enum flow_exit exit,
			  bool takes_address);

/* An event came whose last token is of @kind (enum intel_packet_kind): goes
 * behind the next of that kind.  Returns false if there is none near.
 */
bool branch_cursor_event(struct branch_cursor *cursor, uint8_t kind);

/* Starts again at the first token that is not before @position. */
void branch_cursor_seek(struct branch_cursor *cursor, uint64_t position);

/* When the last token was: by CYC where they tell, else the middle of when it
 * can have been, or its earliest time.
 */
uint64_t branch_cursor_guess_ns(const struct branch_cursor *cursor);

#endif
