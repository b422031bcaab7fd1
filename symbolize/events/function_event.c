/* SPDX-License-Identifier: MIT */
#include "symbolize/events/function_event.h"

#include <stddef.h>

static const char *const names[] = {
	[FUNCTION_CALL] = "call",
	[FUNCTION_LOCAL_CALL] = "local-call",
	[FUNCTION_TAIL_CALL] = "tail-call",
	[FUNCTION_FAR_JUMP] = "far-jump",
	[FUNCTION_NEW_PROGRAM] = "new-program",
	[FUNCTION_RETURN] = "return",
	[FUNCTION_EXCEPTION] = "break",
	[FUNCTION_LOCAL_EXCEPTION] = "local-break",
	[FUNCTION_EXCEPTION_RETURN] = "break-return",
	[FUNCTION_TRACE_START] = "start",
	[FUNCTION_OPEN] = "open",
	[FUNCTION_OPEN_EXCEPTION] = "open-break",
	[FUNCTION_OPEN_END] = "open-end",
	[FUNCTION_TRACE_STOP] = "stop",
	[FUNCTION_GAP] = "gap",
	[FUNCTION_SWITCH] = "switch",
	[FUNCTION_END] = "end",
};

const char *function_event_text(uint8_t kind)
{
	if (kind >= sizeof(names) / sizeof(*names) || !names[kind])
		return "?";
	return names[kind];
}
