/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/branch_cursor.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/libipt/intel_tokens.h"
#include "decoder/recording/time_conversion.h"

#include <stdlib.h>

/* An event's token is never farther ahead: the decoder would have returned the
 * execution before it as blocks.
 */
enum { EVENT_REACH = 64 };

struct branch_cursor {
	struct intel_tokens *tokens;
	const struct time_conversion *conversion;
	struct flow_stamp before; /* the last token consumed completely */
	struct flow_stamp next;	  /* the token being consumed */
	uint64_t next_begin;	  /* see struct intel_token */
	uint8_t next_kind;	  /* INTEL_PACKET_PAD: none */
	uint8_t next_bits;	  /* remaining bits of a TNT */
	bool next_is_exact;
	bool at_token; /* nothing ran since @before */
};

static uint64_t low_ns(const struct branch_cursor *cursor, uint64_t time)
{
	if (!time)
		return 0;
	return time_conversion_ns(cursor->conversion, time >> INTEL_TICK_SHIFT);
}

static uint64_t high_ns(const struct branch_cursor *cursor, uint64_t time)
{
	if (time == UINT64_MAX)
		return UINT64_MAX;
	return time_conversion_ns(cursor->conversion,
				  (time >> INTEL_TICK_SHIFT) + 1) +
	       1;
}

static void load_next(struct branch_cursor *cursor)
{
	const struct intel_token *token = intel_tokens_peek(cursor->tokens, 0);

	if (!token) {
		cursor->next_kind = INTEL_PACKET_PAD;
		cursor->next.low_ns = cursor->before.low_ns;
		cursor->next.high_ns = UINT64_MAX;
		cursor->next.known_ns = 0;
		return;
	}
	cursor->next_begin = token->begin;
	cursor->next_kind = token->kind;
	cursor->next_bits = token->bits;
	cursor->next_is_exact = token->is_exact;
	cursor->next.low_ns = low_ns(cursor, token->low);
	cursor->next.high_ns = high_ns(cursor, token->high);
	cursor->next.known_ns =
		token->has_estimate ? low_ns(cursor, token->estimate) : 0;
}

struct branch_cursor *
branch_cursor_new(struct intel_tokens *tokens,
		  const struct time_conversion *conversion)
{
	struct branch_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return NULL;
	cursor->tokens = tokens;
	cursor->conversion = conversion;
	load_next(cursor);
	return cursor;
}

void branch_cursor_free(struct branch_cursor *cursor)
{
	free(cursor);
}

void branch_cursor_stamp(const struct branch_cursor *cursor,
			 struct flow_stamp *stamp)
{
	stamp->low_ns = cursor->before.low_ns;
	stamp->high_ns = cursor->at_token ? cursor->before.high_ns :
					    cursor->next.high_ns;
	stamp->known_ns = cursor->at_token ? cursor->before.known_ns : 0;
	stamp->work = 0;
	stamp->done = 0;
}

uint64_t branch_cursor_guess_ns(const struct branch_cursor *cursor)
{
	const struct flow_stamp *stamp = &cursor->before;

	if (stamp->known_ns)
		return stamp->known_ns;
	if (stamp->high_ns == UINT64_MAX || stamp->high_ns < stamp->low_ns)
		return stamp->low_ns;
	return stamp->low_ns + (stamp->high_ns - stamp->low_ns) / 2;
}

/* The branches of a TNT that was written late ran at any earlier time. */
static void take_next(struct branch_cursor *cursor)
{
	uint64_t before_ns = cursor->before.low_ns;

	cursor->before = cursor->next;
	if (!cursor->next_is_exact)
		cursor->before.low_ns = before_ns;
	cursor->at_token = true;
	intel_tokens_drop(cursor->tokens, 1);
	load_next(cursor);
}

static bool take_bit(struct branch_cursor *cursor)
{
	if (cursor->next_kind != INTEL_PACKET_TNT)
		return false;
	cursor->next_bits--;
	if (!cursor->next_bits)
		take_next(cursor);
	return true;
}

bool branch_cursor_expects_address(const struct branch_cursor *cursor)
{
	return cursor->next_kind == INTEL_PACKET_TIP;
}

static bool take_address(struct branch_cursor *cursor)
{
	if (cursor->next_kind == INTEL_PACKET_TIP)
		take_next(cursor);
	/* Tracing may end here instead; the event consumes the token then. */
	return cursor->next_kind != INTEL_PACKET_TNT || cursor->at_token;
}

bool branch_cursor_branch(struct branch_cursor *cursor, enum flow_exit exit,
			  bool takes_address)
{
	cursor->at_token = false;
	switch (exit) {
	case FLOW_EXIT_CONDITIONAL:
		return take_bit(cursor);
	case FLOW_EXIT_RETURN:
		if (cursor->next_kind == INTEL_PACKET_TNT)
			return take_bit(cursor);
		return take_address(cursor);
	case FLOW_EXIT_CALL:
	case FLOW_EXIT_JUMP:
		return takes_address ? take_address(cursor) : true;
	case FLOW_EXIT_FAR_CALL:
	case FLOW_EXIT_FAR_RETURN:
	case FLOW_EXIT_FAR_JUMP:
		return take_address(cursor);
	case FLOW_EXIT_NONE:
		return true;
	}
	return true;
}

bool branch_cursor_event(struct branch_cursor *cursor, uint8_t kind)
{
	size_t ahead = 0;
	const struct intel_token *token;

	while ((token = intel_tokens_peek(cursor->tokens, ahead)) &&
	       token->kind != kind && ahead < EVENT_REACH)
		ahead++;
	if (!token || token->kind != kind)
		return false;
	intel_tokens_drop(cursor->tokens, ahead);
	load_next(cursor);
	take_next(cursor);
	return true;
}

void branch_cursor_seek(struct branch_cursor *cursor, uint64_t position)
{
	intel_tokens_seek(cursor->tokens, position);
	load_next(cursor);
	cursor->before.low_ns = low_ns(cursor, cursor->next_begin);
	cursor->before.high_ns = cursor->next.high_ns;
	cursor->before.known_ns = 0;
	cursor->at_token = false;
}
