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
static bool drop_empty(struct expected *expected, const struct item *truth)
{
	struct item next;

	if (truth->type != ITEM_START || !expected_next(expected, &next))
		return false;
	if (is_empty(truth, &next))
		return true;
	expected_push_back(expected, &next);
	return false;
}

/* Reads the truth's next item in the current session; if the decoder's item is
 * a start, it may be in the next session. Returns false if there is none.
 */
static bool next_truth(struct candidate *candidate, bool may_begin,
		       struct item *truth)
{
	while (expected_next(&candidate->at, truth)) {
		if (truth->type == ITEM_SESSION && !may_begin) {
			expected_push_back(&candidate->at, truth);
			return false;
		}
		if (truth->type == ITEM_SESSION)
			candidate->sessions++;
		else if (!says_nothing(truth) &&
			 !drop_empty(&candidate->at, truth))
			return true;
	}
	return false;
}

/* Returns whether this is the last branch before the unit was switched off: no
 * other branch followed it.
 */
static bool ends_session(struct candidate *candidate,
			 const struct item *decoded, const struct item *truth)
{
	struct item next;

	return decoded->type == ITEM_END && truth->type == ITEM_BRANCH &&
	       decoded->from == truth->from && decoded->class == truth->class &&
	       expected_next(&candidate->at, &next) && says_nothing(&next);
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

/* Prints the items of both sides from the first that differ: @truth is the last
 * one of @candidate.
 */
static bool differs(struct block_compare *compare, struct candidate *candidate,
		    const struct item *decoded, const struct item *truth)
{
	struct item item;

	printf(" first difference, after %" PRIu64 " equal items:\n",
	       compare->compared);
	if (truth)
		show("truth", truth);
	for (int i = 0; truth && i < 4; i++)
		if (expected_next(&candidate->at, &item))
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
	if (!compare->compared) {
		compare->offset = decoded->tsc - truth->tsc;
		compare->offset_error_ns =
			(uint64_t)decoded->early_ns + decoded->late_ns;
	}
	time_error_add(&compare->times, decoded->tsc - compare->offset,
		       truth->tsc);
	compare->outside += !is_within(decoded, truth->tsc + compare->offset);
}

/* Returns the truth's time before which @decoded did not run, 0 if unknown. */
static uint64_t earliest(const struct block_compare *compare,
			 const struct item *decoded)
{
	uint64_t time = decoded->tsc - compare->offset;
	uint64_t early = (uint64_t)decoded->early_ns +
			 compare->offset_error_ns + SLACK_NS;

	return compare->compared && time > early ? time - early : 0;
}

/* After a gap: makes each position from the first candidate on a candidate,
 * except those before @from.
 */
static void spread(struct block_compare *compare, uint64_t from)
{
	struct candidate *candidates = compare->candidates;
	struct candidate next = candidates[0];
	struct item truth;
	unsigned int count = 0;

	while (count < BLOCK_COMPARE_CANDIDATES &&
	       next_truth(&next, true, &truth)) {
		count += truth.tsc >= from;
		next.missing++;
		if (count < BLOCK_COMPARE_CANDIDATES)
			candidates[count] = next;
	}
	compare->candidate_count =
		count < BLOCK_COMPARE_CANDIDATES ? count + 1 : count;
}

/* Removes the candidates whose next item is not @decoded, and moves the others
 * past it. Returns false, after a message, if none is left.
 */
static bool advance(struct block_compare *compare, bool may_begin,
		    const struct item *decoded)
{
	struct candidate next, failed = { .missing = 0 };
	struct item truth, failed_truth = { .type = ITEM_SESSION };
	unsigned int left = 0;
	bool has_truth = false;

	for (unsigned int i = 0; i < compare->candidate_count; i++) {
		bool more;

		next = compare->candidates[i];
		more = next_truth(&next, may_begin, &truth);
		if (more && (equal(decoded, &truth) ||
			     is_cut(compare, decoded, &truth) ||
			     ends_session(&next, decoded, &truth))) {
			compare->candidates[left++] = next;
		} else if (!i) {
			failed = next;
			failed_truth = truth;
			has_truth = more;
		}
	}
	if (!left)
		return differs(compare, &failed, decoded,
			       has_truth ? &failed_truth : NULL);
	if (compare->candidate_count == 1)
		compare_time(compare, decoded, &truth);
	compare->candidate_count = left;
	compare->compared++;
	return true;
}

/* Finds the first candidate at which the truth's session ends. */
static bool finish(struct block_compare *compare)
{
	struct candidate *candidate = compare->candidates;
	struct candidate *first = candidate;
	struct item truth;
	bool is_at_end = false;

	for (unsigned int i = 0; i < compare->candidate_count && !is_at_end;
	     i++) {
		candidate = &first[i];
		is_at_end = !next_truth(candidate, false, &truth);
	}
	if (!is_at_end)
		return differs(compare, candidate, NULL, &truth);
	*compare->expected = candidate->at;
	compare->sessions = candidate->sessions;
	compare->missing = candidate->missing;
	return true;
}

bool block_compare_run(struct block_compare *compare, uint32_t cpu)
{
	struct item decoded;
	bool is_after_gap = false;

	compare->candidates[0] = (struct candidate){ .at = *compare->expected };
	compare->candidate_count = 1;
	while (next_decoded(compare, &decoded)) {
		if (compare->cpu != cpu)
			continue;
		if (decoded.type == ITEM_LOSS) {
			is_after_gap = true;
			continue;
		}
		if (is_after_gap)
			spread(compare, earliest(compare, &decoded));
		if (!advance(compare,
			     is_after_gap || decoded.type == ITEM_START,
			     &decoded))
			return false;
		is_after_gap = false;
	}
	if (is_after_gap)
		spread(compare, 0);
	return finish(compare);
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
