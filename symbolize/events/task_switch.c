/* SPDX-License-Identifier: MIT */
#include "symbolize/events/task_switch.h"

static bool is_near(uint64_t from_ns, uint64_t to_ns)
{
	return from_ns && to_ns <= from_ns + TASK_SWITCH_NEAR_NS;
}

void task_switch_announce(struct task_switch *state,
			  const struct flow_item *item)
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
	state->overdue_ns = 0;
	state->untraced_ns = 0;
}

bool task_switch_record(struct task_switch *state, const struct flow_item *item,
			bool running)
{
	task_switch_announce(state, item);
	/* Most switches are recorded twice: out of one task, into another. */
	if (state->next.tid == state->current.tid && state->next.tid >= 0) {
		state->has_next = false;
		state->overdue_ns = 0;
		return false;
	}
	if (running && !is_near(state->overdue_ns, item->time_ns))
		return false;
	perform(state);
	if (!running)
		state->untraced_ns = item->time_ns;
	return true;
}

bool task_switch_is_done(struct task_switch *state, uint64_t low_ns,
			 uint64_t high_ns)
{
	uint64_t done_ns = state->untraced_ns;

	if (!done_ns || done_ns > high_ns ||
	    low_ns > done_ns + TASK_SWITCH_NEAR_NS)
		return false;
	state->untraced_ns = 0;
	return true;
}

/* A dead task that runs for the last time has no tid any more, but its record
 * belongs to this switch point like any other.
 */
bool task_switch_point(struct task_switch *state, uint64_t time_ns,
		       const struct flow_item *next)
{
	if (!state->has_next && is_near(state->untraced_ns, time_ns)) {
		state->untraced_ns = 0;
		return false;
	}
	if (!state->has_next && next &&
	    next->time_ns <= time_ns + TASK_SWITCH_NEAR_NS)
		task_switch_announce(state, next);
	state->overdue_ns = state->has_next ? 0 : time_ns;
	if (!state->has_next)
		return false;
	perform(state);
	return true;
}

/* The gap may be a few instructions that do not contain the switch point.
 * Without untraced_ns, that switch point would be paired with the next record,
 * and so on.
 */
bool task_switch_lost(struct task_switch *state, uint64_t time_ns)
{
	state->overdue_ns = 0;
	if (!state->has_next)
		return false;
	perform(state);
	state->untraced_ns = time_ns;
	return true;
}

bool task_switch_back(struct task_switch *state, const struct task_id *own)
{
	if (state->current.tid == own->tid)
		return false;
	state->current = *own;
	state->has_next = false;
	state->preempted = false;
	return true;
}
