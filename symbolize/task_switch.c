/* SPDX-License-Identifier: MIT */
#include "symbolize/task_switch.h"

/* A record that comes later than this after a switch point is another's. */
enum { AHEAD_NS = 20000, AHEAD_ITEMS = 2048 };

static void announce(struct task_switch *state, const struct flow_item *item)
{
	state->next.tid = flow_switch_tid(item);
	state->next.pid = flow_switch_pid(item);
	state->preempted = item->detail == FLOW_SWITCH_PREEMPT;
	state->has_next = true;
	if (item->detail == FLOW_SWITCH_AWAY)
		state->next = (struct task_id){ .pid = -1, .tid = -1 };
}

static void perform(struct task_switch *state)
{
	state->current = state->next;
	state->has_next = false;
	state->overdue = false;
}

bool task_switch_record(struct task_switch *state, const struct flow_item *item,
			bool running)
{
	announce(state, item);
	/* Most switches are recorded twice: out of one task, into another. */
	if (state->next.tid == state->current.tid && state->next.tid >= 0) {
		state->has_next = false;
		state->overdue = false;
		return false;
	}
	if (running && !state->overdue)
		return false;
	perform(state);
	return true;
}

/* A dead task that runs for the last time has no number any more, but its
 * record is of this switch point as any other.
 */
bool task_switch_point(struct task_switch *state, const struct flow_item *ahead,
		       size_t count)
{
	for (size_t i = 0; !state->has_next && i < count && i < AHEAD_ITEMS;
	     i++) {
		if (ahead[i].time_ns > ahead[0].time_ns + AHEAD_NS)
			break;
		if (ahead[i].kind == FLOW_SWITCH)
			announce(state, &ahead[i]);
	}
	state->overdue = !state->has_next;
	if (!state->has_next)
		return false;
	perform(state);
	return true;
}

bool task_switch_lost(struct task_switch *state)
{
	state->overdue = false;
	if (!state->has_next)
		return false;
	perform(state);
	return true;
}
