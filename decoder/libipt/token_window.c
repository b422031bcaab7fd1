/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/token_window.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/libipt/intel_tokens.h"

/* Between two anchors, the cycles counted cannot take longer than the time
 * that passed, but may take less: a sleeping core counts none.  So a token is
 * at least its cycles after the first anchor and at least the remaining
 * cycles before the second; where cycles were longer than CBR said, the two
 * bounds change places.
 */
struct stretch {
	int64_t low_shift;	/* from the first anchor plus a token's low */
	uint64_t high_shift;
	double rate;		/* by how much a cycle was longer than told */
};

static struct stretch stretch_of(const struct intel_clock *clock, uint64_t next)
{
	uint64_t span = next > clock->anchor ? next - clock->anchor : 0;
	int64_t slack = (int64_t)(next - clock->anchor - clock->elapsed);
	struct stretch stretch = {
		.low_shift = slack < 0 ? slack : 0,
		.high_shift = slack < 0 ? 0 : (uint64_t)slack,
	};

	/* Spread a small difference evenly; a large one is a sleep, which
	 * ends with the next time packet.  Too many cycles were shorter than
	 * told, unless it is an anchor that is wrong.
	 */
	if (clock->elapsed && span &&
	    (slack < 0 || (uint64_t)slack < span / 16))
		stretch.rate = (double)slack / (double)clock->elapsed;
	return stretch;
}

/* Damage may count more cycles than passed since the beginning of all time. */
static uint64_t shifted(uint64_t time, int64_t shift)
{
	return shift < 0 && time < -(uint64_t)shift ? 0 :
						      time + (uint64_t)shift;
}

static void close_known(struct intel_token *tokens, size_t count,
			const struct intel_clock *clock, uint64_t next)
{
	const struct stretch stretch = stretch_of(clock, next);

	for (size_t i = 0; i < count; i++) {
		struct intel_token *token = &tokens[i];

		token->estimate += clock->anchor +
				   (uint64_t)(int64_t)(stretch.rate *
						       (double)token->low);
		token->anchor = clock->anchor;
		token->low = shifted(clock->anchor + token->low,
				     stretch.low_shift);
		token->high += clock->anchor + stretch.high_shift;
	}
}

static uint64_t weight_of(const struct intel_token *token)
{
	return token->kind == INTEL_PACKET_TNT ? token->bits : 1;
}

/* Where cycles are not counted only the first token has an estimate: it came
 * somewhere in its own share of the branches.
 */
static void place_first(struct intel_token *tokens, size_t count,
			const struct intel_clock *clock, uint64_t next)
{
	uint64_t branches = 0;

	for (size_t i = 0; i < count; i++)
		branches += weight_of(&tokens[i]);
	if (next > clock->anchor)
		tokens[0].estimate += (next - clock->anchor) / 2 *
				      weight_of(&tokens[0]) / branches;
}

/* Before the first anchor only the second bound is known. */
static void close_first(struct intel_token *tokens, size_t count,
			const struct intel_clock *clock, uint64_t next)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t rest = clock->elapsed - tokens[i].high;

		tokens[i].low = 0;
		tokens[i].high = next > rest ? next - rest : 0;
		tokens[i].has_estimate = false;
	}
}

/* After the last anchor only the first. */
static void close_last(struct intel_token *tokens, size_t count,
		       const struct intel_clock *clock)
{
	for (size_t i = 0; i < count; i++) {
		struct intel_token *token = &tokens[i];

		if (!clock->has_anchor) {
			token->low = 0;
			token->has_estimate = false;
		}
		token->anchor = clock->anchor;
		token->low += clock->anchor;
		token->estimate += clock->anchor;
		token->high = UINT64_MAX;
	}
}

void token_window_close(struct intel_token *tokens, size_t count,
			const struct intel_clock *clock, uint64_t next)
{
	if (next == UINT64_MAX) {
		close_last(tokens, count, clock);
	} else if (!clock->has_anchor) {
		close_first(tokens, count, clock, next);
	} else {
		if (!clock->elapsed && !clock->setup.counts_cycles)
			place_first(tokens, count, clock, next);
		close_known(tokens, count, clock, next);
	}
}
