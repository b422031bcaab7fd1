/* SPDX-License-Identifier: MIT */
#include "cmd/events/event_align.h"

#include "cmd/events/event_window.h"
#include "decoder/flow/flow.h"

#include <stdint.h>

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

bool event_is_same(const struct function_event *one,
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

bool event_times_agree(const struct function_event *one,
		       const struct function_event *other)
{
	return one->time_ns == other->time_ns ||
	       (is_within(one->time_ns, other) &&
		is_within(other->time_ns, one));
}

/* An event that only one engine's gap or pause causes identifies no position.
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

/* The window that ends earlier cannot reach the other window's events; only its
 * last few events may start a run.
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

bool event_align(struct event_window *one, struct event_window *other,
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
