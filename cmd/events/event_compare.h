/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_EVENT_COMPARE_H
#define KT_CMD_EVENT_COMPARE_H

#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stdint.h>

struct event_window;

/* This is what two engines made of one stream. */
struct event_comparison {
	uint64_t compared; /* equal events, but for their times */
	uint64_t same_ns;  /* of them, those of equal times */
	uint64_t gaps[2];  /* of each engine */
	uint64_t alone[2]; /* events of one that stand against a gap of
				 * the other */
	bool differs;
	bool is_time;			/* the two differ in time alone */
	struct function_event first[2]; /* where they differ first */
	uint64_t number[2];		/* how many came before, of each */
};

/* Compares both to their ends, or to where they differ first: one event's time
 * must lie within the bounds of the other's.
 *
 * Behind a gap engines go on at different places, and one may follow what the
 * other cannot: they are compared again from where several events are equal
 * again.  Returns 0 or a negative enum error.
 */
int event_compare(struct event_window *one, struct event_window *other,
		  struct event_comparison *comparison);

#endif
