/* SPDX-License-Identifier: MIT */
#include "tables/hits/typical_calls.h"
#include "attribution/calls/system_calls.h"
#include "common/error.h"
#include "tables/text/histogram.h"

/* All calls of one function. */
struct kind {
	uint32_t function;
	struct histogram parts[CALL_PART_NAMES];
};

struct typical_calls typical_calls_none(void)
{
	return (struct typical_calls){ KEYED_ARRAY_OF(struct kind, function) };
}

struct call_times call_times_of(const struct system_call *call)
{
	return (struct call_times){ .ns = {
					    [CALL_WALL] = call->end_ns -
							  call->begin_ns,
					    [CALL_ON_CPU] = system_call_on_cpu(
						    call->class_ns),
					    [CALL_ASLEEP] =
						    call->class_ns[TIME_ASLEEP],
					    [CALL_RUNNABLE] =
						    call->class_ns[TIME_RUNNABLE],
					    [CALL_STOLEN] =
						    call->class_ns
							    [TIME_INTERRUPT],
					    [CALL_TRACER] =
						    call->class_ns[TIME_TRACER],
					    [CALL_UNKNOWN] =
						    call->class_ns[TIME_UNKNOWN],
				    } };
}

const char *call_part_title(enum call_part_name part)
{
	static const char *const titles[CALL_PART_NAMES] = {
		[CALL_WALL] = "wall",	    [CALL_ON_CPU] = "on CPU",
		[CALL_ASLEEP] = "asleep",   [CALL_RUNNABLE] = "runnable",
		[CALL_STOLEN] = "stolen",   [CALL_TRACER] = "tracer",
		[CALL_UNKNOWN] = "unknown",
	};

	return titles[part];
}

void typical_calls_free(struct typical_calls *calls)
{
	for (size_t i = 0; i < calls->kinds.items.count; i++) {
		struct kind *kind = array_at(&calls->kinds.items, i);

		for (int part = 0; part < CALL_PART_NAMES; part++)
			histogram_free(&kind->parts[part]);
	}
	keyed_array_free(&calls->kinds);
}

static struct kind *kind_of(struct typical_calls *calls, uint32_t function)
{
	struct kind fresh = { .function = function };

	for (int part = 0; part < CALL_PART_NAMES; part++)
		fresh.parts[part] = HISTOGRAM_EMPTY;
	return keyed_array_add(&calls->kinds, &fresh);
}

int typical_calls_add(struct typical_calls *calls,
		      const struct system_call *call)
{
	const struct call_times times = call_times_of(call);
	struct kind *kind = kind_of(calls, call->function);
	int status = kind ? 0 : -ERROR_MEMORY;

	for (int part = 0; part < CALL_PART_NAMES && !status; part++)
		status = histogram_add(&kind->parts[part], times.ns[part]);
	return status;
}

uint64_t typical_calls_of(const struct typical_calls *calls, uint32_t function,
			  struct call_times *times)
{
	const struct kind *kind = keyed_array_find(&calls->kinds, &function);

	*times = (struct call_times){ .ns = { 0 } };
	if (!kind)
		return 0;
	for (int part = 0; part < CALL_PART_NAMES; part++)
		times->ns[part] = histogram_quantile(&kind->parts[part], 0.5);
	return kind->parts[CALL_WALL].count;
}
