/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/branch_window.h"
#include "decoder/flow/branch_source.h"
#include "decoder/intel_pt/intel_clock.h"

/* The conversion between two anchors. The cycles counted cannot take longer
 * than the time that passed, but may take less: a sleeping core counts none. So
 * a branch is at least its cycles after the first anchor and at least the
 * remaining cycles before the second. If all cycles, at the length that CBR
 * gives, exceed the time between the anchors, they were shorter than that, and
 * the two bounds are swapped.
 */
struct stretch {
	int64_t low_shift;   /* added to anchor + low */
	uint64_t high_shift; /* added to anchor + high */
	double rate;	     /* relative error of the cycle length; 0: none */
};

static struct stretch stretch_of(const struct intel_clock *clock, uint64_t next,
				 uint64_t delay)
{
	uint64_t span = next > clock->anchor ? next - clock->anchor : 0;
	int64_t slack = (int64_t)(next - clock->anchor - clock->elapsed);
	struct stretch stretch = {
		.low_shift = slack < 0 ? slack : 0,
		.high_shift = (slack < 0 ? 0 : (uint64_t)slack) + delay,
	};

	/* A small difference is interpolated; a large one is a sleep, which
	 * ends with the next time packet. Too many cycles mean that cycles were
	 * shorter than CBR indicates, unless an anchor is wrong.
	 */
	if (clock->elapsed && span &&
	    (slack < 0 || (uint64_t)slack < span / 16))
		stretch.rate = (double)slack / (double)clock->elapsed;
	return stretch;
}

/* Returns @time moved by @shift, at least 0: damaged trace may count more
 * cycles than the whole time since 0.
 */
static uint64_t shifted(uint64_t time, int64_t shift)
{
	return shift < 0 && time < -(uint64_t)shift ? 0 :
						      time + (uint64_t)shift;
}

static void close_known(struct trace_branch *branches, size_t count,
			const struct intel_clock *clock, uint64_t next,
			uint64_t delay)
{
	const struct stretch stretch = stretch_of(clock, next, delay);

	for (size_t i = 0; i < count; i++) {
		struct trace_branch *branch = &branches[i];

		branch->estimate +=
			clock->anchor +
			(uint64_t)(int64_t)(stretch.rate * (double)branch->low);
		branch->low =
			shifted(clock->anchor + branch->low, stretch.low_shift);
		branch->high += clock->anchor + stretch.high_shift;
	}
}

static uint64_t weight_of(const struct trace_branch *branch)
{
	if (!branch->is_timed)
		return 0;
	return branch->kind == TRACE_BITS ? branch->count : 1;
}

/* For an interval without cycle counts: moves the estimate of the first branch
 * with a time of its own to the middle of its share of the interval, which each
 * packet gets in proportion to its branches. The other branches keep their
 * estimates.
 */
static void place_first(struct trace_branch *branches, size_t count,
			const struct intel_clock *clock, uint64_t next)
{
	struct trace_branch *first = NULL;
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++) {
		total += weight_of(&branches[i]);
		if (!first && branches[i].is_timed)
			first = &branches[i];
	}
	if (first && next > clock->anchor)
		first->estimate +=
			(next - clock->anchor) / 2 * weight_of(first) / total;
}

/* Sets the times before the first anchor, of which only the upper bound is
 * known.
 */
static void close_first(struct trace_branch *branches, size_t count,
			const struct intel_clock *clock, uint64_t next,
			uint64_t delay)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t rest = clock->elapsed - branches[i].high;

		branches[i].low = 0;
		branches[i].high = (next > rest ? next - rest : 0) + delay;
		branches[i].has_estimate = false;
	}
}

/* Sets the times after the last anchor, of which only the lower bound is known.
 */
static void close_last(struct trace_branch *branches, size_t count,
		       const struct intel_clock *clock)
{
	for (size_t i = 0; i < count; i++) {
		struct trace_branch *branch = &branches[i];

		if (!clock->has_anchor) {
			branch->low = 0;
			branch->has_estimate = false;
		}
		branch->low += clock->anchor;
		branch->estimate += clock->anchor;
		branch->high = UINT64_MAX;
	}
}

void branch_window_close(struct trace_branch *branches, size_t count,
			 const struct intel_clock *clock, uint64_t next,
			 uint64_t delay)
{
	if (next == UINT64_MAX) {
		close_last(branches, count, clock);
	} else if (!clock->has_anchor) {
		close_first(branches, count, clock, next, delay);
	} else {
		if (!clock->elapsed && !clock->setup.counts_cycles)
			place_first(branches, count, clock, next);
		close_known(branches, count, clock, next, delay);
	}
}

static uint64_t high_of_last(const struct trace_branch *branches, size_t count)
{
	for (; count; count--)
		if (branches[count - 1].is_timed)
			return branches[count - 1].high;
	return 0;
}

void branch_window_pass(struct trace_branch *branches, size_t count,
			uint64_t delay, uint64_t *last_high)
{
	if (delay) {
		*last_high = high_of_last(branches, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (branches[i].high < *last_high)
			branches[i].high = *last_high;
	*last_high = 0;
}
