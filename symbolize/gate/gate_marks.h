/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_MARKS_H
#define KT_SYMBOLIZE_GATE_MARKS_H

struct function_event;
struct gate_step;

/* What is known of the CPU. */
enum gate_state {
	GATE_CLOSED,   /* nothing that runs was asked for */
	GATE_ARRIVING, /* it is traced in the probe that resumed the trace */
	GATE_INSIDE,   /* and in the chosen call */
	GATE_ASIDE,    /* and perhaps in a probe that pauses it */
	GATE_LOST,     /* in the chosen call, but not in the trace */
};

/* What is to be done with a mark when an event comes. */
enum gate_action {
	GATE_WAIT, /* it comes behind the event */
	GATE_SKIP, /* it says nothing new */
	GATE_LOSE, /* the trace that it resumed is not there */
	/* The event is the trace's start or stop that the mark is about: */
	GATE_RESUME,
	GATE_PAUSE,
	GATE_CLOSE, /* nothing is asked for from the mark's time on */
};

/* Returns what is to be done in @state with @mark, which comes first of those that
 * are left, when @event comes; @next is the mark behind it, or NULL.
 */
enum gate_action gate_mark_action(enum gate_state state,
				  const struct gate_step *mark,
				  const struct gate_step *next,
				  const struct function_event *event);

#endif
