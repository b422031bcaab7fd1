/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_MARKS_H
#define KT_SYMBOLIZE_GATE_MARKS_H

struct function_event;
struct gate_step;

/* The state of a CPU. */
enum gate_state {
	GATE_CLOSED,   /* nothing that runs was requested */
	GATE_ARRIVING, /* traced, in the probe that resumed the trace */
	GATE_INSIDE,   /* traced, in the chosen call */
	GATE_ASIDE,    /* traced, perhaps in a probe that pauses the trace */
	GATE_LOST,     /* in the chosen call, but not traced */
};

/* How to handle a mark when an event arrives. */
enum gate_action {
	GATE_WAIT, /* the mark is later than the event */
	GATE_SKIP, /* the mark changes nothing */
	GATE_LOSE, /* the trace that the mark resumed is missing */
	/* The event is the start or stop of the trace that the mark caused: */
	GATE_RESUME,
	GATE_PAUSE,
	GATE_CLOSE, /* nothing is requested from the mark's time on */
};

/* Returns how to handle @mark, the first remaining one, in @state when @event
 * arrives; @next is the mark after it, or NULL.
 */
enum gate_action gate_mark_action(enum gate_state state,
				  const struct gate_step *mark,
				  const struct gate_step *next,
				  const struct function_event *event);

#endif
