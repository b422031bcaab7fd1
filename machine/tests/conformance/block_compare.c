/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/block_compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const type_names[] = {
	[ITEM_START] = "start", [ITEM_BRANCH] = "branch",   [ITEM_END] = "end",
	[ITEM_LOSS] = "gap",	[ITEM_SESSION] = "session",
};

static void show(const char *side, const struct item *item)
{
	printf("  %-8s %-7s class %u %16" PRIx64 " -> %16" PRIx64
	       " time %" PRIu64 " at %" PRIu64 "\n",
	       side, type_names[item->type], item->class, item->from, item->to,
	       item->tsc, item->position);
}

/* No packet reports where the unit was switched off. */
static bool says_nothing(const struct item *truth)
{
	return truth->type == ITEM_END && truth->class == CLASS_NONE;
}

/* An exception before the first instruction, such as a page fault after ERET,
 * means that nothing was executed; the decoder may omit it.
 */
static bool is_empty(const struct item *start, const struct item *end)
{
	return start->type == ITEM_START && end->type == ITEM_END &&
	       end->class == CLASS_ASYNC && end->from == start->to;
}

static bool next_kept(struct block_compare *compare, struct item *decoded)
{
	bool more = true;

	if (compare->has_kept)
		*decoded = compare->kept;
	else
		more = block_items_next(&compare->items, decoded);
	compare->cpu = compare->has_kept ? compare->kept_cpu :
					   compare->items.cpu;
	compare->has_kept = false;
	return more;
}

static void keep_next(struct block_compare *compare)
{
	compare->has_kept = block_items_next(&compare->items, &compare->kept);
	compare->kept_cpu = compare->items.cpu;
}

static bool next_decoded(struct block_compare *compare, struct item *decoded)
{
	while (next_kept(compare, decoded)) {
		if (decoded->type != ITEM_START && decoded->type != ITEM_END)
			return true;
		keep_next(compare);
		if (!compare->has_kept || !is_empty(decoded, &compare->kept))
			return true;
		compare->has_kept = false;
	}
	return false;
}

/* Returns whether @truth and the next item are such a pair; if so, skips both.
 */
static bool drop_empty(struct block_compare *compare, const struct item *truth)
{
	struct item next;

	if (truth->type != ITEM_START ||
	    !expected_next(compare->expected, &next))
		return false;
	if (is_empty(truth, &next))
		return true;
	expected_push_back(compare->expected, &next);
	return false;
}

/* Reads the truth's next item in the current session; if the decoder's item is
 * a start, it may be in the next session. Returns false if there is none.
 */
static bool next_truth(struct block_compare *compare, bool may_begin,
		       struct item *truth)
{
	while (expected_next(compare->expected, truth)) {
		if (truth->type == ITEM_SESSION && !may_begin) {
			expected_push_back(compare->expected, truth);
			return false;
		}
		if (truth->type == ITEM_SESSION)
			compare->sessions++;
		else if (!says_nothing(truth) && !drop_empty(compare, truth))
			return true;
	}
	return false;
}

/* Returns whether this is the last branch before the unit was switched off: no
 * other branch followed it.
 */
static bool ends_session(struct block_compare *compare,
			 const struct item *decoded, const struct item *truth)
{
	struct item next;

	return decoded->type == ITEM_END && truth->type == ITEM_BRANCH &&
	       decoded->from == truth->from && decoded->class == truth->class &&
	       expected_next(compare->expected, &next) && says_nothing(&next);
}

/* Returns whether @decoded is the last branch before a gap. */
static bool is_cut(const struct block_compare *compare,
		   const struct item *decoded, const struct item *truth)
{
	return decoded->type == ITEM_END && truth->type == ITEM_BRANCH &&
	       decoded->from == truth->from && decoded->class == truth->class &&
	       compare->has_kept && compare->kept_cpu == compare->cpu &&
	       compare->kept.type == ITEM_LOSS;
}

static bool equal(const struct item *decoded, const struct item *truth)
{
	if (decoded->type != truth->type)
		return false;
	if (decoded->type == ITEM_START)
		return decoded->to == truth->to;
	return decoded->from == truth->from && decoded->class == truth->class &&
	       (!decoded->to_known || decoded->to == truth->to);
}

static bool differs(struct block_compare *compare, const struct item *decoded,
		    const struct item *truth)
{
	struct item item;

	printf(" first difference, after %" PRIu64 " equal items:\n",
	       compare->compared);
	if (truth)
		show("truth", truth);
	for (int i = 0; truth && i < 4; i++)
		if (expected_next(compare->expected, &item))
			show("truth", &item);
	if (decoded)
		show("decoded", decoded);
	for (int i = 0; decoded && i < 4; i++)
		if (block_items_next(&compare->items, &item))
			show("decoded", &item);
	return false;
}

/* Allows for the clocks' rounding and for one instruction: a branch's target
 * runs after the branch.
 */
enum { SLACK_NS = 3 };

static bool is_within(const struct item *decoded, uint64_t truth_ns)
{
	int64_t late = (int64_t)(truth_ns - decoded->tsc);

	return late >= -(int64_t)decoded->early_ns - SLACK_NS &&
	       late <= (int64_t)decoded->late_ns + SLACK_NS;
}

static void compare_time(struct block_compare *compare,
			 const struct item *decoded, const struct item *truth)
{
	if (!compare->compared)
		compare->offset = decoded->tsc - truth->tsc;
	time_error_add(&compare->times, decoded->tsc - compare->offset,
		       truth->tsc);
	compare->outside += !is_within(decoded, truth->tsc + compare->offset);
}

/* After a gap: skips the truth's items that the gap hides, up to @decoded. */
static bool catch_up(struct block_compare *compare, const struct item *decoded)
{
	enum { HIDDEN_MAX = 5000 };
	struct item truth;

	for (unsigned i = 0; i < HIDDEN_MAX; i++) {
		if (!next_truth(compare, true, &truth))
			return false;
		if (equal(decoded, &truth)) {
			compare->compared++;
			compare->loop = truth;
			compare->is_in_loop = truth.type == ITEM_BRANCH;
			return true;
		}
		compare->missing++;
	}
	return false;
}

static bool is_same_branch(const struct item *a, const struct item *b)
{
	return a->type == b->type && a->from == b->from && a->to == b->to &&
	       a->class == b->class;
}

/* A gap in a loop of one branch that continues after it may hide any
 * iterations. When the loop ends, the iterations that remain in the truth are
 * the hidden ones; skips them. Returns false if the truth ends.
 */
static bool leave_loop(struct block_compare *compare,
		       const struct item *decoded, struct item *truth)
{
	while (compare->is_in_loop && is_same_branch(truth, &compare->loop) &&
	       !equal(decoded, truth)) {
		compare->missing++;
		if (!next_truth(compare, true, truth))
			return false;
	}
	compare->is_in_loop &= is_same_branch(truth, &compare->loop);
	return true;
}

bool block_compare_run(struct block_compare *compare, uint32_t cpu)
{
	struct item decoded, truth;
	bool after_gap = false;

	while (next_decoded(compare, &decoded)) {
		bool is_start = decoded.type == ITEM_START;
		bool behind_gap = after_gap;

		if (compare->cpu != cpu)
			continue;
		after_gap = decoded.type == ITEM_LOSS;
		if (after_gap)
			continue;
		if (behind_gap) {
			if (!catch_up(compare, &decoded))
				return differs(compare, &decoded, NULL);
			continue;
		}
		if (!next_truth(compare, is_start, &truth) ||
		    !leave_loop(compare, &decoded, &truth))
			return differs(compare, &decoded, NULL);
		if (!equal(&decoded, &truth) &&
		    !is_cut(compare, &decoded, &truth) &&
		    !ends_session(compare, &decoded, &truth))
			return differs(compare, &decoded, &truth);
		compare_time(compare, &decoded, &truth);
		compare->compared++;
	}
	if (next_truth(compare, false, &truth))
		return differs(compare, NULL, &truth);
	return true;
}

void block_compare_open(struct block_compare *compare, FILE *text,
			struct expected *expected)
{
	memset(compare, 0, sizeof(*compare));
	block_items_open(&compare->items, text);
	compare->expected = expected;
}

bool block_compare_misses_much(const struct block_compare *compare)
{
	return compare->missing > compare->items.gaps * BLOCK_COMPARE_HIDDEN ||
	       compare->missing > compare->compared / 1000;
}

uint64_t block_compare_rest(struct expected *expected)
{
	uint64_t items = 0;
	struct item item;

	while (expected_next(expected, &item))
		items += item.type != ITEM_SESSION && !says_nothing(&item);
	return items;
}
