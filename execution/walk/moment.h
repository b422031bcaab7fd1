/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_MOMENT_H
#define KT_EXECUTION_MOMENT_H

#include "decoder/recording/time_conversion.h"
#include "execution/walk/execution.h"

/* Time bounds of the position, from the branches around it: a block that runs
 * after a branch started no earlier than that branch and no later than the next
 * one. Times here are in 256ths of a tick of the trace's clock, unless their
 * name ends in _ns. 0 and UINT64_MAX are no bound.
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

/* Returns the index of the time bounds of everything that runs after the last
 * branch.
 */
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

/* Adds a record that starts now. The caller fills in all fields after its
 * times. Requires room.
 */
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

/* Must be called before a record that starts now. If the time of the last
 * branch is known and nothing ran since, finishes all earlier records.
 */
static inline void moment_begin(struct execution *execution)
{
	if (execution->at_branch && execution->before.known_ns)
		event_times_know(&execution->times, execution->before.known_ns);
}

/* Sets the upper bound for everything that runs before @branch, the next one.
 */
static inline void moment_expect(struct execution *execution,
				 const struct trace_branch *branch)
{
	execution->next_high = branch->high;
	execution->has_bounds = false;
}

/* Stores the estimated time of @branch, if it has one, as the known time. */
static inline void moment_know(struct execution *execution,
			       const struct trace_branch *branch)
{
	execution->before.known_ns =
		branch->has_estimate ?
			moment_low_ns(execution, branch->estimate) :
			0;
}

/* Must be called when @branch has run: it becomes the last branch. Without
 * is_exact the previous lower bound is kept: a TNT packet may be written long
 * after its branches ran.
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

/* Forgets the time of the last branch. All that is known is that it ran at
 * @high or earlier.
 */
static inline void moment_forget(struct execution *execution, uint64_t high)
{
	execution->before = (struct moment){ .high = high };
	execution->at_branch = false;
	execution->has_bounds = false;
}

/* Resumes at @branch, which becomes the last branch. When execution arrived
 * there is unknown, so its time is not a known one.
 */
static inline void moment_resume(struct execution *execution,
				 const struct trace_branch *branch)
{
	execution->before.low = branch->low;
	execution->before.high = branch->high;
	execution->before.known_ns = 0;
	execution->at_branch = false;
	execution->has_bounds = false;
}

/* Returns a lower bound of all times from @time_ns on. The margin of 4 ticks
 * covers rounding in both directions of the conversion.
 */
static inline uint64_t moment_ticks(const struct execution *execution,
				    uint64_t time_ns)
{
	uint64_t ticks;

	if (time_ns == UINT64_MAX)
		return UINT64_MAX;
	ticks = time_conversion_ticks(execution->conversion, time_ns);
	return ticks < 4 ? 0 : (ticks - 4) << TRACE_TICK_SHIFT;
}

/* Like moment_ticks(), but returns a time that is certainly not before
 * @time_ns.
 */
static inline uint64_t moment_ticks_after(const struct execution *execution,
					  uint64_t time_ns)
{
	uint64_t ticks = moment_ticks(execution, time_ns);

	return ticks == UINT64_MAX ? ticks : ticks + (8 << TRACE_TICK_SHIFT);
}

/* Returns the best estimate of when the last branch ran. */
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
