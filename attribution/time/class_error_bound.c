/* SPDX-License-Identifier: MIT */
#include "attribution/time/class_error_bound.h"

#include "attribution/time/time_span.h"

/* A border lies between its neighbours, however little is known of it. */
static uint64_t error_of_last(const struct class_error_bound *borders)
{
	uint64_t room_ns = borders->before_ns > borders->since_ns ?
				   borders->before_ns :
				   borders->since_ns;

	return borders->error_ns < room_ns ? borders->error_ns : room_ns;
}

void class_error_bound_take(struct class_error_bound *borders,
			    const struct time_span *span)
{
	uint64_t size_ns = span->end_ns - span->begin_ns;

	if (borders->since_ns && borders->time_class != span->time_class) {
		borders->sum_ns += error_of_last(borders);
		borders->before_ns = borders->since_ns;
		borders->error_ns = span->begin_error_ns;
		borders->since_ns = 0;
	}
	borders->time_class = span->time_class;
	borders->since_ns += size_ns;
}

uint64_t class_error_bound_ns(const struct class_error_bound *borders)
{
	return borders->sum_ns + error_of_last(borders);
}
