/* SPDX-License-Identifier: MIT */
#include "attribution/time/time_span.h"

const char *time_class_name(enum time_class time_class)
{
	static const char *const names[TIME_CLASSES] = {
		[TIME_USER] = "user",
		[TIME_SYSTEM_CALL] = "system_call",
		[TIME_FAULT] = "fault",
		[TIME_KERNEL] = "kernel",
		[TIME_INTERRUPT] = "interrupt",
		[TIME_TRACER] = "tracer",
		[TIME_GUEST] = "guest",
		[TIME_RUNNABLE] = "runnable",
		[TIME_THROTTLED] = "throttled",
		[TIME_ASLEEP] = "asleep",
		[TIME_NOT_ASKED] = "not_asked",
		[TIME_UNKNOWN] = "unknown",
	};

	return names[time_class];
}

const char *unknown_reason_name(enum unknown_reason reason)
{
	static const char *const names[UNKNOWN_REASONS] = {
		[UNKNOWN_GAP] = "gap",
		[UNKNOWN_FILTERED] = "filtered",
		[UNKNOWN_OFF] = "off",
		[UNKNOWN_UNTRACED] = "untraced",
		[UNKNOWN_NO_EVENTS] = "no_events",
		[UNKNOWN_LOST_EVENTS] = "lost_events",
	};

	return names[reason];
}

bool time_span_cut(struct time_span *span, uint64_t since_ns, uint64_t until_ns)
{
	if (span->begin_ns < since_ns)
		span->begin_ns = since_ns;
	if (span->end_ns > until_ns) {
		span->end_ns = until_ns;
		span->end_error_ns = 0;
	}
	return span->begin_ns < span->end_ns;
}
