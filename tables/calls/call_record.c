/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_record.h"

#include "attribution/events/known_events.h"
#include "attribution/task_tracker.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/sleeps/sleep_places.h"
#include "tables/table.h"

#include <stdio.h>

struct call_record_context
call_record_context_of(const struct attribution_input *input,
		       const struct task_tracker *tracker)
{
	return (struct call_record_context){
		.functions = symbols_functions(input->symbols),
		.arch = symbols_arch(input->symbols),
		.names = input->names,
		.wakers = task_tracker_wakers(tracker),
		.stacks = task_tracker_stacks(tracker),
		.lines = input->lines,
		.has_off_cpu =
			known_events_has(input->events, EVENT_SCHED_SWITCH) &&
			known_events_has(input->events, EVENT_SCHED_WAKING),
	};
}

bool call_record_line(const struct call_record_context *context,
		      const struct sleep_place *place, char *text, size_t size)
{
	const struct function *label =
		function_at(context->functions, place->label);
	struct source_line line;

	/* The return address is after the call, perhaps on another line. */
	if (!context->lines || !place->address ||
	    place->address <= label->address ||
	    !lines_find(context->lines, label,
			place->address - 1 - label->address, &line))
		return false;
	snprintf(text, size, "%s:%d", line.file, line.line);
	return true;
}
