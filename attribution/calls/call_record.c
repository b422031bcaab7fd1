/* SPDX-License-Identifier: MIT */
#include "attribution/calls/call_record.h"

#include "attribution/sleeps/sleep_places.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"

#include <stdio.h>

bool call_record_line(const struct call_record_context *context,
		      const struct sleep_place *place, char *text, size_t size)
{
	const struct function *label =
		function_at(context->functions, place->label);
	struct source_line line;

	/* The return address lies behind the call, perhaps on another line. */
	if (!context->lines || !place->address ||
	    place->address <= label->address ||
	    !lines_find(context->lines, label,
			place->address - 1 - label->address, &line))
		return false;
	snprintf(text, size, "%s:%d", line.file, line.line);
	return true;
}
