/* SPDX-License-Identifier: MIT */
#include "decoder/intel_tokens.h"
#include "common/array.h"
#include "decoder/intel_clock.h"

#include <stdlib.h>
#include <string.h>

/* Without any time packet for this many tokens their bounds are given up. */
enum { OPEN_LIMIT = 1 << 18 };

/* While a token waits for the next anchor, low and high are what CYC says has
 * elapsed since the anchor before, at the CYC before and after the token.
 */
struct intel_tokens {
	const uint8_t *bytes;
	size_t size;
	size_t at;		/* the next packet */
	struct intel_clock clock;
	struct array ring;	/* struct intel_token */
	size_t first;		/* not dropped */
	size_t closed;		/* bounds are final before this one */
	size_t no_high;		/* from here on no CYC came after */
	bool has_fresh_cyc;	/* it belongs to the packet that follows */
	bool has_open_tnt;	/* the last packet is one, the last token it */
	bool open_tnt_was_fresh;
	bool after_anchor;	/* no token came since */
	bool failed;		/* out of memory: as if the trace ended */
};

struct intel_tokens *intel_tokens_new(const uint8_t *bytes, size_t size,
				      const struct intel_clock_setup *setup)
{
	struct intel_tokens *tokens = calloc(1, sizeof(*tokens));

	if (!tokens)
		return NULL;
	tokens->bytes = bytes;
	tokens->size = size;
	tokens->at = intel_packet_find_psb(bytes, size, 0);
	tokens->clock = intel_clock_of(setup);
	tokens->ring = ARRAY_OF(struct intel_token);
	return tokens;
}

void intel_tokens_free(struct intel_tokens *tokens)
{
	if (!tokens)
		return;
	array_free(&tokens->ring);
	free(tokens);
}

static struct intel_token *token_at(const struct intel_tokens *tokens,
				    size_t index)
{
	return (struct intel_token *)tokens->ring.items + index;
}

static void set_highs(struct intel_tokens *tokens)
{
	for (; tokens->no_high < tokens->ring.count; tokens->no_high++)
		token_at(tokens, tokens->no_high)->high =
			tokens->clock.elapsed;
}

static uint64_t weight_of(const struct intel_token *token)
{
	return token->kind == INTEL_PACKET_TNT ? token->bits : 1;
}

/* Between two anchors, the cycles counted cannot take longer than the time
 * that passed, but may take less: a sleeping core counts none.  So a token is
 * at least its cycles after the first anchor and at least the remaining
 * cycles before the second; where cycles were longer than CBR said, the two
 * bounds change places.
 */
static void bound_token(const struct intel_clock *clock,
			struct intel_token *token, uint64_t next,
			uint64_t branches)
{
	uint64_t slack = next - clock->anchor - clock->elapsed;
	bool is_late = next < clock->anchor + clock->elapsed;
	uint64_t low = clock->anchor + token->low;
	uint64_t high = clock->anchor + token->high;

	if (is_late)
		low += slack;
	else
		high += slack;
	/* Spread a small difference evenly; a large one is a sleep, which
	 * ends with the next time packet.
	 */
	if (token->has_estimate && clock->elapsed) {
		uint64_t amount = is_late ? -slack : slack;

		token->estimate = clock->anchor + token->estimate;
		if (amount < (next - clock->anchor) / 16)
			token->estimate += (uint64_t)((__int128)(int64_t)slack *
						      (int64_t)token->low /
						      (int64_t)clock->elapsed);
	} else if (token->has_estimate) {
		/* Without CYC only the first token has one: it came somewhere
		 * in its own share of the branches.
		 */
		token->estimate = clock->anchor;
		if (next > clock->anchor)
			token->estimate += (next - clock->anchor) / 2 *
					   weight_of(token) / branches;
	}
	token->anchor = clock->anchor;
	token->low = low;
	token->high = high;
}

/* Before the first anchor only the second bound is known. */
static void bound_first(const struct intel_clock *clock,
			struct intel_token *token, uint64_t next)
{
	uint64_t rest = clock->elapsed - token->high;

	token->low = 0;
	token->high = next > rest ? next - rest : 0;
	token->has_estimate = false;
}

/* After the last anchor only the first. */
static void bound_last(const struct intel_clock *clock,
		       struct intel_token *token)
{
	if (!clock->has_anchor) {
		token->low = 0;
		token->has_estimate = false;
	}
	token->anchor = clock->anchor;
	token->low += clock->anchor;
	token->estimate += clock->anchor;
	token->high = UINT64_MAX;
}

static void close_window(struct intel_tokens *tokens, uint64_t next)
{
	const struct intel_clock *clock = &tokens->clock;

	uint64_t branches = 0;

	set_highs(tokens);
	for (size_t i = tokens->closed; i < tokens->ring.count; i++)
		branches += weight_of(token_at(tokens, i));
	for (; tokens->closed < tokens->ring.count; tokens->closed++) {
		struct intel_token *token = token_at(tokens, tokens->closed);

		if (next == UINT64_MAX)
			bound_last(clock, token);
		else if (!clock->has_anchor)
			bound_first(clock, token, next);
		else
			bound_token(clock, token, next, branches);
	}
}

/* An MTC is written some time after the count that it tells; what was written
 * before it may be as much younger.
 */
static void take_anchor(struct intel_tokens *tokens, uint64_t anchor,
			bool is_mtc)
{
	size_t closed = tokens->closed;

	close_window(tokens, anchor);
	for (size_t i = closed; is_mtc && i < tokens->closed; i++)
		token_at(tokens, i)->high +=
			intel_clock_mtc_delay(&tokens->clock);
	intel_clock_set_anchor(&tokens->clock, anchor);
	tokens->has_fresh_cyc = false;
	tokens->after_anchor = true;
}

/* A TNT is written when it is full, or when the packet that follows needs it
 * out of the way; only in the first case did its last branch run just then.
 * Some implementations fill packets of 6 bits, some of 47.
 */
static bool may_be_full(const struct intel_packet *packet)
{
	return packet->bits == 6 || packet->bits == 47;
}

/* A packet that follows with no cycle between is why the TNT was written: its
 * time is that packet's.
 */
static void close_tnt(struct intel_tokens *tokens,
		      const struct intel_packet *next)
{
	struct intel_token *token;

	if (!tokens->has_open_tnt || next->kind == INTEL_PACKET_PAD)
		return;
	tokens->has_open_tnt = false;
	if (next->kind == INTEL_PACKET_TNT || next->kind == INTEL_PACKET_CYC)
		return;
	token = token_at(tokens, tokens->ring.count - 1);
	token->is_exact = false;
	token->has_estimate = false;
	tokens->has_fresh_cyc |= tokens->open_tnt_was_fresh;
}

static void add_token(struct intel_tokens *tokens,
		      const struct intel_packet *packet)
{
	bool is_tnt = packet->kind == INTEL_PACKET_TNT;
	struct intel_token *token = array_add(&tokens->ring);

	if (!token) {
		tokens->failed = true;
		return;
	}
	token->position = tokens->at;
	token->kind = packet->kind;
	token->bits = packet->bits;
	token->low = tokens->clock.elapsed;
	token->high = tokens->clock.elapsed;
	token->estimate = tokens->clock.elapsed;
	token->is_exact = !is_tnt || may_be_full(packet);
	token->has_estimate = token->is_exact && (tokens->has_fresh_cyc ||
						  tokens->after_anchor);
	if (tokens->has_fresh_cyc && tokens->no_high + 1 == tokens->ring.count)
		tokens->no_high++;
	tokens->has_open_tnt = is_tnt;
	tokens->open_tnt_was_fresh = is_tnt && tokens->has_fresh_cyc;
	tokens->has_fresh_cyc = false;
	tokens->after_anchor = false;
}

static void take_packet(struct intel_tokens *tokens,
			const struct intel_packet *packet)
{
	uint64_t anchor;

	close_tnt(tokens, packet);
	if (intel_clock_take(&tokens->clock, packet, &anchor)) {
		take_anchor(tokens, anchor,
			    packet->kind == INTEL_PACKET_MTC);
	} else if (packet->kind == INTEL_PACKET_CYC) {
		set_highs(tokens);
		tokens->has_fresh_cyc = true;
	} else if (intel_packet_is_flow(packet)) {
		add_token(tokens, packet);
	}
	if (tokens->ring.count - tokens->closed > OPEN_LIMIT) {
		tokens->has_open_tnt = false;
		close_window(tokens, UINT64_MAX);
	}
}

/* Moves what is not dropped to the front. */
static void drop_front(struct intel_tokens *tokens)
{
	struct intel_token *items = tokens->ring.items;

	if (!tokens->first)
		return;
	memmove(items, items + tokens->first,
		(tokens->ring.count - tokens->first) * sizeof(*items));
	tokens->ring.count -= tokens->first;
	tokens->closed -= tokens->first;
	tokens->no_high -= tokens->first;
	tokens->first = 0;
}

/* Reads on until one more token is final.  Returns false at the end. */
static bool read_on(struct intel_tokens *tokens)
{
	size_t closed;

	drop_front(tokens);
	closed = tokens->closed;
	while (tokens->closed == closed) {
		struct intel_packet packet;
		int status = -1;

		if (!tokens->failed)
			status = intel_packet_read(
				tokens->bytes + tokens->at,
				tokens->size - tokens->at, &packet);
		if (status > 0) {
			take_packet(tokens, &packet);
			tokens->at += packet.size;
			continue;
		}
		if (status < 0 && !tokens->failed)
			tokens->at = intel_packet_find_psb(
				tokens->bytes, tokens->size, tokens->at + 1);
		if (!status || tokens->failed || tokens->at == tokens->size) {
			close_window(tokens, UINT64_MAX);
			return tokens->closed > closed;
		}
	}
	return true;
}

const struct intel_token *intel_tokens_peek(struct intel_tokens *tokens,
					    size_t ahead)
{
	while (tokens->closed - tokens->first <= ahead)
		if (!read_on(tokens))
			return NULL;
	return token_at(tokens, tokens->first + ahead);
}

void intel_tokens_drop(struct intel_tokens *tokens, size_t count)
{
	tokens->first += count;
}

void intel_tokens_seek(struct intel_tokens *tokens, uint64_t position)
{
	const struct intel_token *token = intel_tokens_peek(tokens, 0);

	while (token && token->position < position) {
		tokens->first++;
		token = intel_tokens_peek(tokens, 0);
	}
}
