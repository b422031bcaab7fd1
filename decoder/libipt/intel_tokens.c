/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/intel_tokens_internal.h"

#include "common/array.h"
#include "decoder/flow/branch_source.h"
#include "decoder/intel_pt/branch_window.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording.h"

#include <stdlib.h>
#include <string.h>

/* The times of tokens are computed like those of branches: while a token waits
 * for the next anchor, low and high are the time since the previous anchor by
 * CYC, at the CYC before and after the token.
 */
struct intel_tokens {
	const uint8_t *bytes;
	size_t size;
	size_t at; /* position of the next packet */
	struct intel_clock clock;
	struct array branches;	  /* struct trace_branch, one for each token */
	struct array packets;	  /* struct token_packet, one for each token */
	struct trace_branch sync; /* the time of the last PSB */
	bool sync_is_open;	  /* its time is still unknown */
	bool has_sync;		  /* no token since the last PSB */
	struct intel_token peeked;
	size_t first;	/* first token not dropped */
	size_t closed;	/* number of tokens with final bounds */
	size_t no_high; /* index of the first token without a later CYC */
	/* the last CYC gives the time of the following packet */
	bool has_fresh_cyc;
	/* the last packet was a TNT, and the last token is from it */
	bool has_open_tnt;
	bool open_tnt_was_fresh;
	bool after_anchor;  /* no token since the anchor */
	uint64_t last_high; /* state of branch_window_pass() */
	bool failed;	    /* out of memory: treated as the end of the trace */
};

/* Maximum number of tokens that wait for a packet with a time; more are
 * provided without an upper bound.
 */
enum { OPEN_LIMIT = 1 << 18 };

/* A token without its time. */
struct token_packet {
	uint64_t position;
	uint64_t begin;
	uint8_t kind;
	bool is_synced; /* the first after a PSB */
};

struct intel_tokens *intel_tokens_new(const uint8_t *bytes, size_t size,
				      const struct intel_clock_setup *setup)
{
	struct intel_tokens *tokens = calloc(1, sizeof(*tokens));

	if (!tokens)
		return NULL;
	tokens->bytes = bytes;
	tokens->size = size;
	tokens->at = intel_psb_find(bytes, size, 0);
	tokens->clock = intel_clock_of(setup);
	tokens->branches = ARRAY_OF(struct trace_branch);
	tokens->packets = ARRAY_OF(struct token_packet);
	return tokens;
}

void intel_tokens_free(struct intel_tokens *tokens)
{
	if (!tokens)
		return;
	array_free(&tokens->branches);
	array_free(&tokens->packets);
	free(tokens);
}

static struct trace_branch *branch_at(const struct intel_tokens *tokens,
				      size_t index)
{
	return (struct trace_branch *)tokens->branches.items + index;
}

static struct token_packet *packet_at(const struct intel_tokens *tokens,
				      size_t index)
{
	return (struct token_packet *)tokens->packets.items + index;
}

static void set_highs(struct intel_tokens *tokens)
{
	for (; tokens->no_high < tokens->branches.count; tokens->no_high++)
		branch_at(tokens, tokens->no_high)->high =
			tokens->clock.elapsed;
}

static void close_window(struct intel_tokens *tokens, uint64_t next,
			 uint64_t delay)
{
	size_t count = tokens->branches.count - tokens->closed;

	set_highs(tokens);
	if (count)
		branch_window_close(branch_at(tokens, tokens->closed), count,
				    &tokens->clock, next, delay);
	if (tokens->sync_is_open)
		branch_window_close(&tokens->sync, 1, &tokens->clock, next, 0);
	tokens->sync_is_open = false;
	for (; tokens->closed < tokens->branches.count; tokens->closed++) {
		struct token_packet *packet = packet_at(tokens, tokens->closed);

		packet->begin = packet->is_synced ? tokens->sync.low :
						    tokens->clock.anchor;
	}
}

/* Like end_loss() in decoder/intel_pt/intel_branches.c. */
static void end_loss(struct intel_tokens *tokens, size_t closed)
{
	struct trace_branch *last;

	if (tokens->closed == closed ||
	    packet_at(tokens, tokens->closed - 1)->kind != INTEL_PACKET_OVF)
		return;
	last = branch_at(tokens, tokens->closed - 1);
	last->estimate = last->high;
	last->has_estimate = true;
}

static void consume_anchor(struct intel_tokens *tokens, uint64_t anchor,
			   bool is_mtc)
{
	uint64_t delay = is_mtc ? tokens->clock.mtc_delay : 0;
	size_t closed = tokens->closed;

	close_window(tokens, anchor, delay);
	if (!is_mtc)
		end_loss(tokens, closed);
	branch_window_pass(tokens->closed ? branch_at(tokens, closed) : NULL,
			   tokens->closed - closed, delay, &tokens->last_high);
	intel_clock_set_anchor(&tokens->clock, anchor);
	tokens->has_fresh_cyc = false;
	tokens->after_anchor = true;
}

/* Returns whether a TNT may be full. A TNT is written when it is full, or
 * before a packet of another kind; only in the first case did its last branch
 * run at that moment. Some implementations fill packets of 6 bits, some of 47.
 */
static bool may_be_full(const struct intel_packet *packet)
{
	return packet->bits == 6 || packet->bits == 47;
}

/* Like close_open_tnt() in decoder/intel_pt/intel_branches.c. */
static void close_tnt(struct intel_tokens *tokens,
		      const struct intel_packet *next)
{
	struct trace_branch *tnt;

	if (!tokens->has_open_tnt || next->kind == INTEL_PACKET_PAD)
		return;
	tokens->has_open_tnt = false;
	if (next->kind == INTEL_PACKET_TNT || next->kind == INTEL_PACKET_CYC ||
	    next->kind == INTEL_PACKET_OVF)
		return;
	tnt = branch_at(tokens, tokens->branches.count - 1);
	tnt->is_exact = false;
	tnt->has_estimate = false;
	tokens->has_fresh_cyc |= tokens->open_tnt_was_fresh;
}

/* Returns whether @packet has an estimated time. If nothing was counted since
 * the anchor, nothing ran, except for lost trace.
 */
static bool has_estimate(const struct intel_tokens *tokens,
			 const struct intel_packet *packet)
{
	return tokens->has_fresh_cyc ||
	       (tokens->after_anchor && packet->kind != INTEL_PACKET_OVF);
}

static void set_branch(const struct intel_tokens *tokens,
		       const struct intel_packet *packet,
		       struct trace_branch *branch)
{
	bool is_tnt = packet->kind == INTEL_PACKET_TNT;

	branch->kind = is_tnt ? TRACE_BITS : TRACE_TARGET;
	branch->count = packet->bits;
	branch->low = tokens->clock.elapsed;
	branch->high = tokens->clock.elapsed;
	branch->estimate = tokens->clock.elapsed;
	branch->is_timed = true;
	branch->is_exact = !is_tnt || may_be_full(packet);
	branch->has_estimate = branch->is_exact && has_estimate(tokens, packet);
}

static void add_token(struct intel_tokens *tokens,
		      const struct intel_packet *packet)
{
	bool is_tnt = packet->kind == INTEL_PACKET_TNT;
	size_t count = tokens->branches.count;
	struct token_packet *origin = array_reach(&tokens->packets, count);
	struct trace_branch *branch = array_reach(&tokens->branches, count);

	if (!origin || !branch) {
		tokens->failed = true;
		return;
	}
	origin->position = tokens->at;
	origin->kind = packet->kind;
	origin->is_synced = tokens->has_sync;
	tokens->has_sync = false;
	set_branch(tokens, packet, branch);
	if (tokens->has_fresh_cyc && tokens->no_high == count)
		tokens->no_high++;
	tokens->has_open_tnt = is_tnt;
	tokens->open_tnt_was_fresh = is_tnt && tokens->has_fresh_cyc;
	tokens->has_fresh_cyc = false;
	tokens->after_anchor = false;
}

/* Starts a sync point at a PSBEND. Its time packets, between PSB and PSBEND,
 * were consumed before.
 */
static void consume_sync(struct intel_tokens *tokens)
{
	tokens->sync = (struct trace_branch){
		.low = tokens->clock.elapsed,
		.high = tokens->clock.elapsed,
	};
	tokens->sync_is_open = true;
	tokens->has_sync = true;
}

static void consume_packet(struct intel_tokens *tokens,
			   const struct intel_packet *packet)
{
	uint64_t anchor;

	close_tnt(tokens, packet);
	if (intel_clock_consume(&tokens->clock, packet, &anchor)) {
		consume_anchor(tokens, anchor,
			       packet->kind == INTEL_PACKET_MTC);
	} else if (packet->kind == INTEL_PACKET_CYC) {
		set_highs(tokens);
		tokens->has_fresh_cyc = true;
	} else if (packet->kind == INTEL_PACKET_PSBEND) {
		consume_sync(tokens);
	} else if (intel_packet_is_flow(packet)) {
		add_token(tokens, packet);
	}
	if (tokens->branches.count - tokens->closed > OPEN_LIMIT) {
		tokens->has_open_tnt = false;
		close_window(tokens, UINT64_MAX, 0);
	}
}

/* Removes the first @count items. */
static void drop_items(struct array *array, size_t count)
{
	char *items = array->items;

	array->count -= count;
	memmove(items, items + count * array->item_size,
		array->count * array->item_size);
}

static void drop_front(struct intel_tokens *tokens)
{
	if (!tokens->first)
		return;
	drop_items(&tokens->branches, tokens->first);
	drop_items(&tokens->packets, tokens->first);
	tokens->closed -= tokens->first;
	tokens->no_high -= tokens->first;
	tokens->first = 0;
}

/* Reads until one more token is final. Returns false at the end. */
static bool read_on(struct intel_tokens *tokens)
{
	size_t closed;

	drop_front(tokens);
	closed = tokens->closed;
	while (tokens->closed == closed) {
		struct intel_packet packet;
		int status = -1;

		if (!tokens->failed)
			status = intel_packet_read(tokens->bytes + tokens->at,
						   tokens->size - tokens->at,
						   &packet);
		if (status > 0) {
			consume_packet(tokens, &packet);
			tokens->at += packet.size;
			continue;
		}
		if (status < 0 && !tokens->failed)
			tokens->at = intel_psb_find(tokens->bytes, tokens->size,
						    tokens->at + 1);
		if (!status || tokens->failed || tokens->at == tokens->size) {
			close_window(tokens, UINT64_MAX, 0);
			return tokens->closed > closed;
		}
	}
	return true;
}

static struct intel_token token_at(const struct intel_tokens *tokens,
				   size_t index)
{
	const struct trace_branch *branch = branch_at(tokens, index);
	const struct token_packet *packet = packet_at(tokens, index);

	return (struct intel_token){
		.position = packet->position,
		.low = branch->low,
		.high = branch->high,
		.begin = packet->begin,
		.estimate = branch->estimate,
		.kind = packet->kind,
		.bits = branch->count,
		.has_estimate = branch->has_estimate,
		.is_exact = branch->is_exact,
	};
}

const struct intel_token *intel_tokens_peek(struct intel_tokens *tokens,
					    size_t ahead)
{
	while (tokens->closed - tokens->first <= ahead)
		if (!read_on(tokens))
			return NULL;
	tokens->peeked = token_at(tokens, tokens->first + ahead);
	return &tokens->peeked;
}

void intel_tokens_drop(struct intel_tokens *tokens, size_t count)
{
	tokens->first += count;
}

/* Drops all tokens before @position. */
static void intel_tokens_seek(struct intel_tokens *tokens, uint64_t position)
{
	const struct intel_token *token = intel_tokens_peek(tokens, 0);

	while (token && token->position < position) {
		tokens->first++;
		token = intel_tokens_peek(tokens, 0);
	}
}

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
	bool at_token; /* nothing ran since before */
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

/* Moves the cursor to the next token. The branches of a TNT that was written
 * late ran at any earlier time.
 */
static void consume_next(struct branch_cursor *cursor)
{
	uint64_t before_ns = cursor->before.low_ns;

	cursor->before = cursor->next;
	if (!cursor->next_is_exact)
		cursor->before.low_ns = before_ns;
	cursor->at_token = true;
	intel_tokens_drop(cursor->tokens, 1);
	load_next(cursor);
}

static bool consume_bit(struct branch_cursor *cursor)
{
	if (cursor->next_kind != INTEL_PACKET_TNT)
		return false;
	cursor->next_bits--;
	if (!cursor->next_bits)
		consume_next(cursor);
	return true;
}

bool branch_cursor_expects_address(const struct branch_cursor *cursor)
{
	return cursor->next_kind == INTEL_PACKET_TIP;
}

static bool consume_address(struct branch_cursor *cursor)
{
	if (cursor->next_kind == INTEL_PACKET_TIP)
		consume_next(cursor);
	/* Tracing may end here instead; the event consumes the token then. */
	return cursor->next_kind != INTEL_PACKET_TNT || cursor->at_token;
}

bool branch_cursor_branch(struct branch_cursor *cursor, enum flow_exit exit,
			  bool takes_address)
{
	cursor->at_token = false;
	switch (exit) {
	case FLOW_EXIT_CONDITIONAL:
		return consume_bit(cursor);
	case FLOW_EXIT_RETURN:
		if (cursor->next_kind == INTEL_PACKET_TNT)
			return consume_bit(cursor);
		return consume_address(cursor);
	case FLOW_EXIT_CALL:
	case FLOW_EXIT_JUMP:
		return takes_address ? consume_address(cursor) : true;
	case FLOW_EXIT_FAR_CALL:
	case FLOW_EXIT_FAR_RETURN:
	case FLOW_EXIT_FAR_JUMP:
		return consume_address(cursor);
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
	consume_next(cursor);
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
