/* SPDX-License-Identifier: MIT */
#include "tables/processes/class_error_bound.h"

#include "attribution/time/time_span.h"

/* Limits an error: a border cannot be beyond its neighbours. */
static uint64_t limit(uint64_t error_ns, uint64_t before_ns, uint64_t behind_ns)
{
	uint64_t room_ns = before_ns > behind_ns ? before_ns : behind_ns;

	return error_ns < room_ns ? error_ns : room_ns;
}

static uint64_t error_of_last(const struct class_error_bound *bound)
{
	return limit(bound->error_ns, bound->before_ns, bound->since_ns);
}

/* Returns the error of the thread's end, where the next span or the end of the
 * recording is at @next_ns.
 */
static uint64_t error_of_end(const struct class_error_bound *bound,
			     uint64_t next_ns)
{
	uint64_t behind_ns =
		next_ns > bound->last_ns ? next_ns - bound->last_ns : 0;

	return limit(bound->end_error_ns, bound->since_ns, behind_ns);
}

void class_error_bound_take(struct class_error_bound *bound,
			    const struct time_span *span)
{
	uint64_t size_ns = span->end_ns - span->begin_ns;
	uint64_t end_error_ns = error_of_end(bound, span->begin_ns);

	/* The thread has ended, and another one has its number. */
	if (end_error_ns > span->begin_error_ns)
		bound->sum_ns += end_error_ns - span->begin_error_ns;
	bound->end_error_ns = span->end_error_ns;
	bound->last_ns = span->end_ns;
	if (bound->since_ns && bound->time_class != span->time_class) {
		bound->sum_ns += error_of_last(bound);
		bound->before_ns = bound->since_ns;
		bound->error_ns = span->begin_error_ns;
		bound->since_ns = 0;
	}
	bound->time_class = span->time_class;
	bound->since_ns += size_ns;
}

uint64_t class_error_bound_ns(const struct class_error_bound *bound,
			      uint64_t until_ns)
{
	return bound->sum_ns + error_of_last(bound) +
	       error_of_end(bound, until_ns);
}
