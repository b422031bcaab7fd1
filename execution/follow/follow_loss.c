/* SPDX-License-Identifier: MIT */
#include "execution/follow/follow_loss.h"
#include "execution/walk/execution.h"
#include "execution/walk/position.h"
#include "execution/walk/walk.h"

void follow_overflow(struct execution *execution,
		     const struct trace_branch *branch, uint64_t position)
{
	walk_lose_page_table(execution);
	place_gap(execution, &(struct trace_gap){
				     .reason = FLOW_GAP_OVERFLOW,
				     .position = position,
			     });
	moment_pass(execution, branch);
	moment_begin(execution);
	if (branch->has_address) {
		execution->is_lost = false;
		place_go(execution, branch->payload, EXIT_UNSEEN);
	} else {
		place_stop(execution, FLOW_STOP_LEVEL, 0);
		/* Some units do not report that tracing resumes. */
		execution->is_lost = true;
	}
}

static struct trace_gap gap_of(const struct trace_branch *branch,
			       uint64_t position)
{
	return (struct trace_gap){
		.reason = branch->count,
		.position = position,
		.lost_bytes = branch->payload,
	};
}

/* Trace before the first sync point has no lower time bound. */
void follow_unread(struct execution *execution,
		   const struct trace_branch *branch, uint64_t position)
{
	const struct trace_gap gap = gap_of(branch, position);

	walk_lose_page_table(execution);
	if (branch->count == FLOW_GAP_UNSYNCED)
		moment_forget(execution, branch->high);
	place_gap(execution, &gap);
}

/* The current clock ends here. The gap after it gets the time of the last
 * record, without an upper bound.
 */
void follow_break(struct execution *execution,
		  const struct trace_branch *branch, uint64_t position)
{
	const struct trace_gap gap = gap_of(branch, position);
	struct event_times *times = &execution->times;

	walk_lose_page_table(execution);
	event_times_flush(times);
	if (branch->kind == TRACE_BREAK) {
		place_gap_at(
			execution,
			event_times_add(
				times,
				event_times_bound(
					times,
					moment_low_ns(execution,
						      execution->before.low),
					UINT64_MAX)),
			&gap);
		event_times_flush(times);
	}
	moment_forget(execution, UINT64_MAX);
}
