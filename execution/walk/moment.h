/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_MOMENT_H
#define KT_EXECUTION_MOMENT_H

#include "decoder/recording/time_conversion.h"
#include "execution/walk/execution.h"

/* When execution is where it is, by the branches around it: a block that runs
 * behind a branch began no earlier than that, and no later than the next.
 */

static inline uint64_t moment_low_ns(const struct execution *execution,
				     uint64_t time)
{
	if (!time)
		return 0;
	return tick_scale_ns(&execution->scale, time >> TRACE_TICK_SHIFT);
}

static inline uint64_t moment_high_ns(const struct execution *execution,
				      uint64_t time)
{
	if (time == UINT64_MAX)
		return UINT64_MAX;
	return tick_scale_ns(&execution->scale,
			     (time >> TRACE_TICK_SHIFT) + 1) +
	       1;
}

/* Returns the bounds of what runs behind the last branch. */
static inline uint32_t moment_bounds(struct execution *execution)
{
	if (!execution->has_bounds && execution->atoms.is_on) {
		execution->bounds = event_times_bound(
			&execution->times, execution->atoms.bound_low_ns,
			execution->atoms.bound_high_ns);
		execution->has_bounds = true;
	} else if (!execution->has_bounds) {
		execution->bounds = event_times_bound(
			&execution->times,
			moment_low_ns(execution, execution->before.low),
			moment_high_ns(execution, execution->next_high));
		execution->has_bounds = true;
	}
	return execution->bounds;
}

/* Adds a record that begins now. */
static inline union timed_record *execution_add(struct execution *execution)
{
	struct event_times *times = &execution->times;

	if (!execution->at_branch)
		return event_times_add(times, moment_bounds(execution));
	return event_times_add(
		times,
		event_times_bound(
			times, moment_low_ns(execution, execution->before.low),
			moment_high_ns(execution, execution->before.high)));
}

/* Something begins now: if the time is known, so is that of all before. */
static inline void moment_begin(struct execution *execution)
{
	if (execution->at_branch && execution->before.known_ns)
		event_times_know(&execution->times, execution->before.known_ns);
}

/* @branch is the next one. */
static inline void moment_expect(struct execution *execution,
				 const struct trace_branch *branch)
{
	execution->next_high = branch->high;
	execution->has_bounds = false;
}

/* When @branch was is known, if its estimate says so. */
static inline void moment_know(struct execution *execution,
			       const struct trace_branch *branch)
{
	execution->before.known_ns =
		branch->has_estimate ?
			moment_low_ns(execution, branch->estimate) :
			0;
}

/* @branch is done.  The branches of a TNT that was written late ran any time
 * before.
 */
static inline void moment_pass(struct execution *execution,
			       const struct trace_branch *branch)
{
	if (branch->is_exact)
		execution->before.low = branch->low;
	execution->before.high = branch->high;
	moment_know(execution, branch);
	execution->at_branch = true;
	execution->has_bounds = false;
}

/* Nothing is known of before: what comes next began at @high at the latest. */
static inline void moment_forget(struct execution *execution, uint64_t high)
{
	execution->before = (struct moment){ .high = high };
	execution->at_branch = false;
	execution->has_bounds = false;
}

/* Execution goes on at @branch, nobody knows since when. */
static inline void moment_resume(struct execution *execution,
				 const struct trace_branch *branch)
{
	execution->before.low = branch->low;
	execution->before.high = branch->high;
	execution->before.known_ns = 0;
	execution->at_branch = false;
	execution->has_bounds = false;
}

/* Returns a time that no moment at or after @time_ns is before. */
static inline uint64_t moment_ticks(const struct execution *execution,
				    uint64_t time_ns)
{
	uint64_t ticks;

	if (time_ns == UINT64_MAX)
		return UINT64_MAX;
	ticks = time_conversion_ticks(execution->conversion, time_ns);
	return ticks < 4 ? 0 : (ticks - 4) << TRACE_TICK_SHIFT;
}

/* The same, but no earlier than @time_ns for certain. */
static inline uint64_t moment_ticks_after(const struct execution *execution,
					  uint64_t time_ns)
{
	uint64_t ticks = moment_ticks(execution, time_ns);

	return ticks == UINT64_MAX ? ticks : ticks + (8 << TRACE_TICK_SHIFT);
}

/* The best guess of when the last branch was. */
static inline uint64_t moment_guess_ns(const struct execution *execution)
{
	const struct moment *before = &execution->before;
	uint64_t low_ns = moment_low_ns(execution, before->low);
	uint64_t high_ns = moment_high_ns(execution, before->high);

	if (before->known_ns)
		return before->known_ns;
	if (high_ns == UINT64_MAX || high_ns < low_ns)
		return low_ns;
	return low_ns + (high_ns - low_ns) / 2;
}

#endif
