/* SPDX-License-Identifier: MIT */
#include "cmd/events/event_compare.h"

#include "common/error.h"
#include "decoder/flow/flow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t event_window_fill(struct event_window *window, size_t count);

/* Returns event @index of the window, or NULL if the stream ends before it. */
static inline const struct function_event *
event_window_peek(struct event_window *window, size_t index)
{
	if (window->end - window->first <= index &&
	    event_window_fill(window, index + 1) <= index)
		return NULL;
	return &window->events[window->first + index];
}

/* Drops the first @count events, which must be in the window. */
static inline void event_window_drop(struct event_window *window, size_t count)
{
	window->first += count;
}

void event_window_init(struct event_window *window, event_batch_next *next,
		       void *ctx)
{
	*window = (struct event_window){ .next = next, .ctx = ctx };
}

void event_window_free(struct event_window *window)
{
	free(window->events);
}

/* Makes room for @count more events after those in the window. */
static bool make_room(struct event_window *window, size_t count)
{
	size_t left = window->end - window->first;
	struct function_event *larger;

	if (left && window->first)
		memmove(window->events, window->events + window->first,
			left * sizeof(*window->events));
	window->first = 0;
	window->end = left;
	if (left + count <= window->room)
		return true;
	larger = realloc(window->events, (left + count) * 2 * sizeof(*larger));
	if (!larger)
		return false;
	window->events = larger;
	window->room = (left + count) * 2;
	return true;
}

static void read_on(struct event_window *window)
{
	const struct function_event *batch;
	int count = window->next(window->ctx, &batch);

	if (count > 0 && !make_room(window, (size_t)count))
		count = -ERROR_MEMORY;
	if (count <= 0) {
		window->at_end = true;
		window->error = count;
		return;
	}
	memcpy(window->events + window->end, batch,
	       (size_t)count * sizeof(*batch));
	window->end += (size_t)count;
}

/* Reads until the window holds @count events. Returns how many it holds, fewer
 * than @count at the end of the stream.
 */
static size_t event_window_fill(struct event_window *window, size_t count)
{
	while (!window->at_end && window->end - window->first < count)
		read_on(window);
	return window->end - window->first;
}

enum {
	LOOK_AHEAD = 4096,
	/* A run of this many equal events is not a coincidence. */
	RUN = 8,
	SLOTS = 4 * LOOK_AHEAD,
	/* Limit of equal runs to compare: loops produce many. */
	MOST_ALIKE = 64,
};

/* The start of each run in a window, plus 1, by hash; runs with equal hashes
 * are chained in order.
 */
struct run_table {
	uint16_t first[SLOTS];
	uint16_t last[SLOTS];
	uint16_t next[LOOK_AHEAD];
};

/* Returns whether both events are equal except for their times. Two gaps are
 * equal if they have the same reason.
 */
static bool event_is_same(const struct function_event *one,
			  const struct function_event *other)
{
	if (one->kind != other->kind || one->detail != other->detail)
		return false;
	if (one->kind == FUNCTION_GAP)
		return true;
	return one->function == other->function &&
	       one->address == other->address && one->is_user == other->is_user;
}

static bool is_within(uint64_t time_ns, const struct function_event *bounds)
{
	if (time_ns < bounds->time_ns)
		return bounds->early_ns == FLOW_NO_BOUND ||
		       bounds->time_ns - time_ns <= bounds->early_ns;
	return bounds->late_ns == FLOW_NO_BOUND ||
	       time_ns - bounds->time_ns <= bounds->late_ns;
}

/* Returns whether each event's time lies within the other's bounds. For gaps,
 * one of the two is enough: the trace does not have the start of a gap, so one
 * engine may have closer bounds than the other.
 */
static bool event_times_agree(const struct function_event *one,
			      const struct function_event *other)
{
	bool is_one_within = is_within(one->time_ns, other);
	bool is_other_within = is_within(other->time_ns, one);

	return one->time_ns == other->time_ns ||
	       (one->kind == FUNCTION_GAP ? is_one_within || is_other_within :
					    is_one_within && is_other_within);
}

/* Returns whether an event identifies a position in the trace. An event that
 * exists only because one engine has a gap or a pause does not.
 */
static bool has_place(const struct function_event *event)
{
	return event->kind < FUNCTION_TRACE_START;
}

static uint32_t hash_of(const struct function_event *events)
{
	uint64_t hash = 0;

	for (int i = 0; i < RUN; i++)
		hash = (hash ^ events[i].address ^
			((uint64_t)events[i].kind << 56)) *
		       0x9e3779b97f4a7c15;
	return (uint32_t)(hash >> 32) % SLOTS;
}

static bool is_run(const struct function_event *one,
		   const struct function_event *other)
{
	for (int i = 0; i < RUN; i++)
		if (!has_place(&one[i]) || !event_is_same(&one[i], &other[i]) ||
		    !event_times_agree(&one[i], &other[i]))
			return false;
	return true;
}

static void enter(struct run_table *table, const struct function_event *events,
		  size_t count)
{
	for (size_t i = 0; i + RUN <= count; i++) {
		uint32_t slot = hash_of(events + i);

		if (table->first[slot])
			table->next[table->last[slot] - 1] = (uint16_t)(i + 1);
		else
			table->first[slot] = (uint16_t)(i + 1);
		table->last[slot] = (uint16_t)(i + 1);
	}
}

/* Returns the index plus 1 of a run in @events that equals the run at @run, or
 * 0 if there is none.
 */
static size_t find(const struct run_table *table,
		   const struct function_event *events,
		   const struct function_event *run)
{
	size_t at = table->first[hash_of(run)];

	for (int i = 0; at && i < MOST_ALIKE; i++) {
		if (is_run(events + at - 1, run))
			return at;
		at = table->next[at - 1];
	}
	return 0;
}

/* Sets skip[] after no equal run was found. Skips the first half of the window
 * that ends earlier: these events are too early to have equals after the other
 * window. Once both streams have ended, skips all events.
 */
static void skip_earlier(struct event_window *const windows[2],
			 const size_t count[2], size_t skip[2])
{
	int side = 0;

	if (count[0] && count[1])
		side = event_window_peek(windows[0], count[0] - 1)->time_ns >
		       event_window_peek(windows[1], count[1] - 1)->time_ns;
	if (count[side] < LOOK_AHEAD && count[!side] == LOOK_AHEAD)
		side = !side;
	skip[!side] = 0;
	skip[side] = count[side] == LOOK_AHEAD ? LOOK_AHEAD / 2 : count[side];
	if (count[side] < LOOK_AHEAD)
		skip[!side] = count[!side];
}

/* Searches for the first position where several consecutive events of both
 * windows are equal and at the same time.
 *
 * Returns true if there is one; skip[] is then the number of events before it
 * in each window. Otherwise skip[] is the number of events that cannot be part
 * of such a position; both are 0 at the end.
 */
static bool event_align(struct event_window *one, struct event_window *other,
			size_t skip[2])
{
	struct event_window *const windows[2] = { one, other };
	struct run_table table = { .first = { 0 } };
	size_t count[2];

	for (int i = 0; i < 2; i++) {
		count[i] = event_window_fill(windows[i], LOOK_AHEAD);
		if (count[i] > LOOK_AHEAD)
			count[i] = LOOK_AHEAD;
	}
	enter(&table, one->events + one->first, count[0]);
	for (size_t i = 0; i + RUN <= count[1]; i++) {
		const struct function_event *run =
			other->events + other->first + i;
		size_t at = find(&table, one->events + one->first, run);

		if (!at)
			continue;
		skip[0] = at - 1;
		skip[1] = i;
		return true;
	}
	skip_earlier(windows, count, skip);
	return false;
}

enum {
	/* A gap this soon after a difference is its cause. */
	NEAR = 16,
	/* Until this many equal events after a realignment, equality may be a
	 * coincidence.
	 */
	ON_TRIAL = 64,
};

struct compare {
	struct event_window *windows[2];
	struct event_comparison *result;
	bool was_apart;
	bool may_miss_switch; /* one engine may see a switch late after a gap */
	uint64_t since;	      /* equal events since the last realignment */
};

/* Returns whether @event is a gap that one engine alone may have. Gaps that the
 * trace bytes or the trace unit cause occur in both engines.
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

	/* Each engine reports a failure at the time at which it notices it, so
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

/* Returns whether @one is a switch whose record is within the time bounds of the
 * end of the trace, at which @other is. The trace unit writes no time when it is
 * switched off: an engine that estimates an earlier end drops the record.
 */
static bool is_near_end(const struct function_event *one,
			const struct function_event *other)
{
	return one->kind == FUNCTION_SWITCH && one->late_ns == FLOW_NO_BOUND &&
	       other->kind == FUNCTION_END && is_within(one->time_ns, other);
}

/* Handles different events. Returns whether to continue. */
static bool resolve(struct compare *compare, const struct function_event *one,
		    const struct function_event *other)
{
	if (is_near_end(one, other) || is_near_end(other, one)) {
		drop(compare, one->kind == FUNCTION_END);
		return true;
	}
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
