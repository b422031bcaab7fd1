/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/compare.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	CONTEXT = 6,
	MOST_EARLY = 64, /* bytes of code */
};

/* The last compared items, printed before a difference. */
struct history {
	struct item items[CONTEXT];
	uint64_t count;
};

static const char *const type_names[] = {
	[ITEM_START] = "start", [ITEM_BRANCH] = "branch",   [ITEM_END] = "end",
	[ITEM_LOSS] = "loss",	[ITEM_SESSION] = "session",
};

static const char *const class_names[] = {
	[CLASS_NONE] = "-",	   [CLASS_CONDITIONAL] = "conditional",
	[CLASS_JUMP] = "jump",	   [CLASS_CALL] = "call",
	[CLASS_RETURN] = "return", [CLASS_FAR] = "far",
	[CLASS_ASYNC] = "async",
};

static void show(const char *side, const struct item *item)
{
	printf("  %-8s %-7s %-11s %16" PRIx64 " -> %16" PRIx64 " tsc %" PRIu64
	       " at %" PRIu64 "\n",
	       side, type_names[item->type], class_names[item->class],
	       item->from, item->to, item->tsc, item->position);
}

static void remember(struct history *history, const struct item *item)
{
	history->items[history->count++ % CONTEXT] = *item;
}

static void show_history(const struct history *history)
{
	uint64_t i = history->count < CONTEXT ? 0 : history->count - CONTEXT;

	for (; i < history->count; i++)
		show("both", &history->items[i % CONTEXT]);
}

static void show_difference(struct comparison *comparison,
			    const struct history *history, struct flow *flow,
			    struct expected *expected,
			    const struct item *decoded,
			    const struct item *truth)
{
	struct item item;

	comparison->mismatches++;
	printf(" first difference, after %" PRIu64 " equal items:\n",
	       comparison->compared);
	show_history(history);
	if (truth)
		show("truth", truth);
	for (int i = 0; truth && i < CONTEXT; i++)
		if (expected_next(expected, &item))
			show("truth", &item);
	if (decoded)
		show("decoded", decoded);
	for (int i = 0; decoded && i < CONTEXT; i++)
		if (flow_next(flow, &item))
			show("decoded", &item);
}

/* If a write to CR3 precedes a disabling packet without an address, libipt
 * assumes that this instruction disabled the trace: with a CR3 filter it could
 * have. Page table isolation writes CR3 a few instructions before each return
 * to user space. The truth shows that there is no branch in between.
 */
static bool equal_but_early(const struct item *decoded,
			    const struct item *truth)
{
	return decoded->early && decoded->type == ITEM_END &&
	       truth->type == ITEM_END && truth->class == CLASS_FAR &&
	       truth->from - decoded->from < MOST_EARLY;
}

static bool equal(const struct item *decoded, const struct item *truth)
{
	if (decoded->type != truth->type)
		return false;
	if (decoded->type == ITEM_START)
		return decoded->to == truth->to;
	if (decoded->from != truth->from)
		return false;
	if (decoded->to_known && decoded->to != truth->to)
		return false;
	/* Trace may be switched off after any instruction. */
	return decoded->type == ITEM_END || decoded->class == truth->class;
}

static void count_equal(struct comparison *comparison,
			const struct item *decoded, const struct item *truth)
{
	comparison->compared++;
	comparison->early_ends += decoded->early;
	time_error_add(&comparison->all, decoded->tsc, truth->tsc);
	if (decoded->type != ITEM_BRANCH || decoded->class >= CLASS_FAR)
		time_error_add(&comparison->packet, decoded->tsc, truth->tsc);
}

/* Moves @expected to the last session that started at or before @tsc. */
static bool find_session(struct comparison *comparison,
			 struct expected *expected, uint64_t tsc)
{
	struct expected candidate;
	uint64_t sessions = 0, items = 0, skipped = 0;
	struct item item;

	while (expected_next(expected, &item) && item.tsc <= tsc) {
		if (item.type != ITEM_SESSION) {
			items++;
			continue;
		}
		skipped += items;
		items = 0;
		expected_push_back(expected, &item);
		candidate = *expected;
		expected_next(expected, &item);
		sessions++;
	}
	if (!sessions)
		return false;
	comparison->unclaimed_sessions += skipped ? sessions - 1 : 0;
	comparison->unclaimed += skipped;
	*expected = candidate;
	return true;
}

/* Reads the truth's next item; skips a session's start if the decoder's item is
 * a start, too.
 */
static bool next_truth(struct comparison *comparison, struct expected *expected,
		       const struct item *decoded, struct item *truth)
{
	while (expected_next(expected, truth)) {
		if (truth->type != ITEM_SESSION)
			return true;
		if (decoded->type != ITEM_START)
			return true;
		comparison->sessions++;
	}
	return false;
}

/* The flow has ended, so the session must have ended, too. */
static void end_session(struct comparison *comparison,
			const struct history *history, struct flow *flow,
			struct expected *expected)
{
	struct item truth;

	if (!expected_next(expected, &truth))
		return;
	if (truth.type == ITEM_SESSION)
		expected_push_back(expected, &truth);
	else
		show_difference(comparison, history, flow, expected, NULL,
				&truth);
}

void compare_flow(struct comparison *comparison, struct flow *flow,
		  struct expected *expected, uint64_t slack)
{
	struct history history = { .count = 0 };
	struct item decoded, truth;

	if (!flow_next(flow, &decoded))
		return;
	if (!find_session(comparison, expected, decoded.tsc + slack)) {
		printf(" no session of the truth is as old as the trace\n");
		comparison->mismatches++;
		return;
	}
	do {
		bool more = next_truth(comparison, expected, &decoded, &truth);

		if (!more || (!equal(&decoded, &truth) &&
			      !equal_but_early(&decoded, &truth))) {
			show_difference(comparison, &history, flow, expected,
					&decoded, more ? &truth : NULL);
			return;
		}
		count_equal(comparison, &decoded, &truth);
		remember(&history, &truth);
	} while (flow_next(flow, &decoded));
	end_session(comparison, &history, flow, expected);
}

void compare_rest(struct comparison *comparison, struct expected *expected)
{
	uint64_t items = 0;
	struct item item;

	while (expected_next(expected, &item)) {
		if (item.type == ITEM_SESSION)
			comparison->unclaimed_sessions++;
		else
			items++;
	}
	comparison->unclaimed += items;
}
