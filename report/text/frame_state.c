/* SPDX-License-Identifier: MIT */
#include "report/text/frame_state.h"

#include "symbolize/functions/function_table.h"

bool frame_state_of(uint32_t function, enum frame_state *state)
{
	if (function == FUNCTION_NONE ||
	    function < frame_state_function((enum frame_state)0))
		return false;
	*state = (enum frame_state)(function -
				    frame_state_function((enum frame_state)0));
	return true;
}

const char *frame_state_name(enum frame_state state)
{
	static const char *const names[FRAME_STATES] = {
		[FRAME_USER] = "[user]",
		[FRAME_RUNNABLE] = "[runnable]",
		[FRAME_ASLEEP] = "[asleep]",
		[FRAME_NOT_ASKED] = "[not asked for]",
		[FRAME_GUEST] = "[guest]",
		[FRAME_UNKNOWN_GAP] = "[unknown: gap]",
		[FRAME_UNKNOWN_FILTERED] = "[unknown: filtered]",
		[FRAME_UNKNOWN_OFF] = "[unknown: off]",
		[FRAME_UNKNOWN_UNTRACED] = "[unknown: untraced]",
		[FRAME_UNKNOWN_NO_EVENTS] = "[unknown: no events]",
		[FRAME_UNKNOWN_LOST_EVENTS] = "[unknown: lost events]",
	};

	return state < FRAME_STATES ? names[state] : "";
}
