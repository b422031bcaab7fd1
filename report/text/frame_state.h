/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_FRAME_STATE_H
#define KT_REPORT_FRAME_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* The states of a thread outside of functions: the innermost frame in a call
 * tree of wall time. The unknown states are in the order of enum unknown_reason
 * (attribution/time/time_span.h).
 */
enum frame_state {
	FRAME_LEFT_OUT, /* stands for the middle of a deep path */
	FRAME_USER,	/* in user code that is not traced */
	FRAME_RUNNABLE,
	FRAME_ASLEEP,
	FRAME_NOT_ASKED, /* outside of the calls chosen by --only */
	FRAME_GUEST,	 /* in a virtual machine, as its CPU */
	FRAME_UNKNOWN_GAP,
	FRAME_UNKNOWN_FILTERED,
	FRAME_UNKNOWN_OFF,
	FRAME_UNKNOWN_UNTRACED,
	FRAME_UNKNOWN_NO_EVENTS,
	FRAME_UNKNOWN_LOST_EVENTS,
	FRAME_STATES,
};

/* Returns the number that represents a state in place of a function in a call
 * tree.
 */
static inline uint32_t frame_state_function(enum frame_state state)
{
	return UINT32_MAX - FRAME_STATES + (uint32_t)state;
}

/* Returns whether @function represents a state, and the state. */
bool frame_state_of(uint32_t function, enum frame_state *state);

/* Returns for example "[asleep]" or "[unknown: gap]". */
const char *frame_state_name(enum frame_state state);

#endif
