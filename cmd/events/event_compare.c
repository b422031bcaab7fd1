/* SPDX-License-Identifier: MIT */
#include "cmd/events/event_compare.h"

#include "cmd/events/event_align.h"
#include "cmd/events/event_window.h"
#include "decoder/flow/flow.h"

enum {
	/* A gap this soon after a difference is its cause. */
	NEAR = 16,
	/* Until this many equal events, equality may be a coincidence. */
	ON_TRIAL = 64,
};

struct compare {
	struct event_window *windows[2];
	struct event_comparison *result;
	bool was_apart;
	bool may_miss_switch; /* one engine may see a switch late after a gap */
	uint64_t since;	      /* equal events since the last realignment */
};

/* Gaps caused by the trace bytes or by the trace unit occur in both engines;
 * all others are failures of one.
 */
static bool is_failure(const struct function_event *event)
{
	if (event->kind != FUNCTION_GAP)
		return false;
	switch ((enum flow_gap_reason)event->detail) {
	case FLOW_GAP_OVERFLOW:
	case FLOW_GAP_LOST:
	case FLOW_GAP_UNSYNCED:
	case FLOW_GAP_CUT:
		return false;
	case FLOW_GAP_NO_CODE:
	case FLOW_GAP_CODE_CHANGED:
	case FLOW_GAP_BAD_TRACE:
	case FLOW_GAP_UNKNOWN_CODE:
	case FLOW_GAP_GENERATED:
		return true;
	}
	return true;
}

static bool fails_soon(struct event_window *window)
{
	for (size_t i = 0; i < NEAR; i++) {
		const struct function_event *event =
			event_window_peek(window, i);

		if (!event)
			return false;
		if (is_failure(event))
			return true;
	}
	return false;
}

static void drop(struct compare *compare, int side)
{
	struct event_window *window = compare->windows[side];
	uint8_t kind = event_window_peek(window, 0)->kind;

	compare->result->gaps[side] += kind == FUNCTION_GAP;
	compare->result->number[side]++;
	event_window_drop(window, 1);
}

static void leave_alone(struct compare *compare, int side, size_t count)
{
	while (count--) {
		uint8_t kind =
			event_window_peek(compare->windows[side], 0)->kind;

		compare->result->alone[side] += kind != FUNCTION_GAP &&
						kind != FUNCTION_END;
		drop(compare, side);
	}
}

/* Skips to the next position where both streams agree. Returns whether there is
 * one.
 */
static bool realign(struct compare *compare)
{
	size_t skip[2];
	bool is_found;

	compare->was_apart = true;
	compare->may_miss_switch = true;
	compare->since = 0;
	do {
		is_found = event_align(compare->windows[0], compare->windows[1],
				       skip);
		for (int side = 0; side < 2; side++)
			leave_alone(compare, side, skip[side]);
	} while (!is_found && (skip[0] || skip[1]));
	return is_found;
}

static void differ(struct compare *compare, const struct function_event *one,
		   const struct function_event *other, bool is_time)
{
	compare->result->differs = true;
	compare->result->is_time = is_time;
	compare->result->first[0] = *one;
	compare->result->first[1] = *other;
}

static bool is_on_trial(const struct compare *compare)
{
	return compare->was_apart && compare->since < ON_TRIAL;
}

/* Handles equal events at different times. Returns whether to continue: in a
 * loop, one engine may be an iteration ahead after a gap.
 */
static bool resolve_time(struct compare *compare,
			 const struct function_event *one,
			 const struct function_event *other)
{
	if (!is_on_trial(compare)) {
		differ(compare, one, other, true);
		return false;
	}
	leave_alone(compare, one->time_ns > other->time_ns, 1);
	return realign(compare);
}

/* Handles events that are equal in both streams. Returns whether to continue.
 */
static bool pass(struct compare *compare, const struct function_event *one,
		 const struct function_event *other)
{
	bool fails = is_failure(one);

	/* Each engine reports a gap at the time at which it reaches it, so
	 * times of failures are not compared.
	 */
	if (!fails && !event_times_agree(one, other))
		return resolve_time(compare, one, other);
	compare->result->compared++;
	compare->result->same_ns += one->time_ns == other->time_ns;
	compare->since++;
	if (one->kind == FUNCTION_SWITCH)
		compare->may_miss_switch = false;
	drop(compare, 0);
	drop(compare, 1);
	return !fails || realign(compare);
}

/* Handles different events. Returns whether to continue. */
static bool resolve(struct compare *compare, const struct function_event *one,
		    const struct function_event *other)
{
	if (compare->may_miss_switch && one->kind == FUNCTION_SWITCH) {
		leave_alone(compare, 0, 1);
		return true;
	}
	if (compare->may_miss_switch && other->kind == FUNCTION_SWITCH) {
		leave_alone(compare, 1, 1);
		return true;
	}
	if (is_on_trial(compare) || fails_soon(compare->windows[0]) ||
	    fails_soon(compare->windows[1])) {
		leave_alone(compare, 0, 1);
		leave_alone(compare, 1, 1);
		return realign(compare);
	}
	differ(compare, one, other, false);
	return false;
}

int event_compare(struct event_window *one, struct event_window *other,
		  struct event_comparison *comparison)
{
	static const struct function_event none = { .kind = FUNCTION_END };
	struct compare compare = {
		.windows = { one, other },
		.result = comparison,
	};
	bool goes_on = true;

	*comparison = (struct event_comparison){ 0 };
	while (goes_on) {
		const struct function_event *next[2] = {
			event_window_peek(one, 0),
			event_window_peek(other, 0),
		};
		struct function_event first = next[0] ? *next[0] : none;
		struct function_event second = next[1] ? *next[1] : none;

		if (!next[0] && !next[1])
			break;
		goes_on = event_is_same(&first, &second) ?
				  pass(&compare, &first, &second) :
				  resolve(&compare, &first, &second);
	}
	return one->error ? one->error : other->error;
}
