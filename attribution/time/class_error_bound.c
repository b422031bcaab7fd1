/* SPDX-License-Identifier: MIT */
#include "attribution/time/class_error_bound.h"

#include "attribution/time/time_span.h"

/* A border lies between its neighbours, however little is known of it. */
static uint64_t error_of_last(const struct class_error_bound *bound)
{
	uint64_t room_ns = bound->before_ns > bound->since_ns ?
				   bound->before_ns :
				   bound->since_ns;

	return bound->error_ns < room_ns ? bound->error_ns : room_ns;
}

void class_error_bound_take(struct class_error_bound *bound,
			    const struct time_span *span)
{
	uint64_t size_ns = span->end_ns - span->begin_ns;

	if (bound->since_ns && bound->time_class != span->time_class) {
		bound->sum_ns += error_of_last(bound);
		bound->before_ns = bound->since_ns;
		bound->error_ns = span->begin_error_ns;
		bound->since_ns = 0;
	}
	bound->time_class = span->time_class;
	bound->since_ns += size_ns;
}

uint64_t class_error_bound_ns(const struct class_error_bound *bound)
{
	return bound->sum_ns + error_of_last(bound);
}
