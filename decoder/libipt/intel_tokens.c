/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/intel_tokens.h"
#include "common/array.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/libipt/token_window.h"

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

static void close_window(struct intel_tokens *tokens, uint64_t next)
{
	set_highs(tokens);
	if (tokens->ring.count > tokens->closed)
		token_window_close(token_at(tokens, tokens->closed),
				   tokens->ring.count - tokens->closed,
				   &tokens->clock, next);
	tokens->closed = tokens->ring.count;
}

/* OVF is written when the unit goes on, with a TSC: what it lost before had
 * taken time that no CYC tells.
 */
static void end_loss(struct intel_tokens *tokens, size_t closed)
{
	struct intel_token *last;

	if (tokens->closed == closed)
		return;
	last = token_at(tokens, tokens->closed - 1);
	if (last->kind != INTEL_PACKET_OVF)
		return;
	last->estimate = last->high;
	last->has_estimate = true;
}

/* An MTC is written some time after the count that it tells; what was written
 * before it may be as much younger.
 */
static void take_anchor(struct intel_tokens *tokens, uint64_t anchor,
			bool is_mtc)
{
	size_t closed = tokens->closed;

	close_window(tokens, anchor);
	if (!is_mtc)
		end_loss(tokens, closed);
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
 * time is that packet's.  What followed before an OVF is lost.
 */
static void close_tnt(struct intel_tokens *tokens,
		      const struct intel_packet *next)
{
	struct intel_token *token;

	if (!tokens->has_open_tnt || next->kind == INTEL_PACKET_PAD)
		return;
	tokens->has_open_tnt = false;
	if (next->kind == INTEL_PACKET_TNT || next->kind == INTEL_PACKET_CYC ||
	    next->kind == INTEL_PACKET_OVF)
		return;
	token = token_at(tokens, tokens->ring.count - 1);
	token->is_exact = false;
	token->has_estimate = false;
	tokens->has_fresh_cyc |= tokens->open_tnt_was_fresh;
}

/* Where nothing was counted since the anchor, nothing ran, but for what was
 * lost.
 */
static bool has_estimate(const struct intel_tokens *tokens,
			 const struct intel_packet *packet)
{
	return tokens->has_fresh_cyc ||
	       (tokens->after_anchor && packet->kind != INTEL_PACKET_OVF);
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
	token->has_estimate = token->is_exact && has_estimate(tokens, packet);
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
