/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/block_clock.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/libipt/intel_tokens.h"
#include "decoder/recording/time_conversion.h"

#include <stdlib.h>

/* An event's token is never farther ahead: what lies between would have come
 * out of the decoder as blocks.
 */
enum { EVENT_REACH = 64 };

struct block_clock {
	struct intel_tokens *tokens;
	const struct time_conversion *conversion;
	struct flow_stamp before; /* the last token taken whole */
	struct flow_stamp next;	  /* the one being taken */
	uint64_t next_begin;	  /* see struct intel_token */
	uint8_t next_kind;	  /* INTEL_PACKET_PAD: there is none */
	uint8_t next_bits;	  /* left of a TNT */
	bool next_is_exact;
	bool at_token; /* nothing ran since @before */
};

static uint64_t low_ns(const struct block_clock *clock, uint64_t time)
{
	if (!time)
		return 0;
	return time_conversion_ns(clock->conversion, time >> INTEL_TICK_SHIFT);
}

static uint64_t high_ns(const struct block_clock *clock, uint64_t time)
{
	if (time == UINT64_MAX)
		return UINT64_MAX;
	return time_conversion_ns(clock->conversion,
				  (time >> INTEL_TICK_SHIFT) + 1) +
	       1;
}

static void load_next(struct block_clock *clock)
{
	const struct intel_token *token = intel_tokens_peek(clock->tokens, 0);

	if (!token) {
		clock->next_kind = INTEL_PACKET_PAD;
		clock->next.low_ns = clock->before.low_ns;
		clock->next.high_ns = UINT64_MAX;
		clock->next.known_ns = 0;
		return;
	}
	clock->next_begin = token->begin;
	clock->next_kind = token->kind;
	clock->next_bits = token->bits;
	clock->next_is_exact = token->is_exact;
	clock->next.low_ns = low_ns(clock, token->low);
	clock->next.high_ns = high_ns(clock, token->high);
	clock->next.known_ns =
		token->has_estimate ? low_ns(clock, token->estimate) : 0;
}

struct block_clock *block_clock_new(struct intel_tokens *tokens,
				    const struct time_conversion *conversion)
{
	struct block_clock *clock = calloc(1, sizeof(*clock));

	if (!clock)
		return NULL;
	clock->tokens = tokens;
	clock->conversion = conversion;
	load_next(clock);
	return clock;
}

void block_clock_free(struct block_clock *clock)
{
	free(clock);
}

void block_clock_stamp(const struct block_clock *clock,
		       struct flow_stamp *stamp)
{
	stamp->low_ns = clock->before.low_ns;
	stamp->high_ns = clock->at_token ? clock->before.high_ns :
					   clock->next.high_ns;
	stamp->known_ns = clock->at_token ? clock->before.known_ns : 0;
	stamp->work = 0;
	stamp->done = 0;
}

uint64_t block_clock_guess_ns(const struct block_clock *clock)
{
	const struct flow_stamp *stamp = &clock->before;

	if (stamp->known_ns)
		return stamp->known_ns;
	if (stamp->high_ns == UINT64_MAX || stamp->high_ns < stamp->low_ns)
		return stamp->low_ns;
	return stamp->low_ns + (stamp->high_ns - stamp->low_ns) / 2;
}

/* The branches of a TNT that was written late ran any time before. */
static void take_next(struct block_clock *clock)
{
	uint64_t before_ns = clock->before.low_ns;

	clock->before = clock->next;
	if (!clock->next_is_exact)
		clock->before.low_ns = before_ns;
	clock->at_token = true;
	intel_tokens_drop(clock->tokens, 1);
	load_next(clock);
}

static bool take_bit(struct block_clock *clock)
{
	if (clock->next_kind != INTEL_PACKET_TNT)
		return false;
	clock->next_bits--;
	if (!clock->next_bits)
		take_next(clock);
	return true;
}

bool block_clock_expects_address(const struct block_clock *clock)
{
	return clock->next_kind == INTEL_PACKET_TIP;
}

static bool take_address(struct block_clock *clock)
{
	if (clock->next_kind == INTEL_PACKET_TIP)
		take_next(clock);
	/* Tracing may end here instead; the event takes that token. */
	return clock->next_kind != INTEL_PACKET_TNT || clock->at_token;
}

bool block_clock_branch(struct block_clock *clock, enum flow_exit exit,
			bool takes_address)
{
	clock->at_token = false;
	switch (exit) {
	case FLOW_EXIT_CONDITIONAL:
		return take_bit(clock);
	case FLOW_EXIT_RETURN:
		if (clock->next_kind == INTEL_PACKET_TNT)
			return take_bit(clock);
		return take_address(clock);
	case FLOW_EXIT_CALL:
	case FLOW_EXIT_JUMP:
		return takes_address ? take_address(clock) : true;
	case FLOW_EXIT_FAR_CALL:
	case FLOW_EXIT_FAR_RETURN:
	case FLOW_EXIT_FAR_JUMP:
		return take_address(clock);
	case FLOW_EXIT_NONE:
		return true;
	}
	return true;
}

bool block_clock_event(struct block_clock *clock, uint8_t kind)
{
	size_t ahead = 0;
	const struct intel_token *token;

	while ((token = intel_tokens_peek(clock->tokens, ahead)) &&
	       token->kind != kind && ahead < EVENT_REACH)
		ahead++;
	if (!token || token->kind != kind)
		return false;
	intel_tokens_drop(clock->tokens, ahead);
	load_next(clock);
	take_next(clock);
	return true;
}

void block_clock_seek(struct block_clock *clock, uint64_t position)
{
	intel_tokens_seek(clock->tokens, position);
	load_next(clock);
	clock->before.low_ns = low_ns(clock, clock->next_begin);
	clock->before.high_ns = clock->next.high_ns;
	clock->before.known_ns = 0;
	clock->at_token = false;
}
