/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_FRAME_STATE_H
#define KT_REPORT_FRAME_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* This is what a thread may do besides running functions: the innermost frame
 * of such time in a call tree of wall time.  The unknown ones are in the order
 * of enum unknown_reason (attribution/time/time_span.h).
 */
enum frame_state {
	FRAME_USER, /* in user code that is not traced */
	FRAME_RUNNABLE,
	FRAME_ASLEEP,
	FRAME_NOT_ASKED, /* outside of the calls that --only chose */
	FRAME_GUEST,	 /* in a virtual machine, as its CPU */
	FRAME_UNKNOWN_GAP,
	FRAME_UNKNOWN_FILTERED,
	FRAME_UNKNOWN_OFF,
	FRAME_UNKNOWN_UNTRACED,
	FRAME_UNKNOWN_NO_EVENTS,
	FRAME_UNKNOWN_LOST_EVENTS,
	FRAME_STATES,
};

/* Returns the number that stands in place of a function's in a call tree. */
static inline uint32_t frame_state_function(enum frame_state state)
{
	return UINT32_MAX - FRAME_STATES + (uint32_t)state;
}

/* Returns whether @function stands for a state, and which. */
bool frame_state_of(uint32_t function, enum frame_state *state);

/* Returns "[asleep]", "[unknown: gap]", … */
const char *frame_state_name(enum frame_state state);

#endif
