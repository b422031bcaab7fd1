/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_EVENTS_EVENT_COMPARE_H
#define KT_CMD_EVENTS_EVENT_COMPARE_H

#include "report/steps/event_merge.h"
#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A look-ahead window into a stream of function events: the events that were
 * read and not yet dropped, events[first] to events[end - 1].
 */
struct event_window {
	event_batch_next *next;
	void *ctx;
	struct function_event *events;
	size_t room;
	size_t first;
	size_t end;
	bool at_end; /* the stream has ended */
	int error;   /* why it ended: 0 or a negative enum error */
};

/* Initialises @window. @next is called with @ctx, which must outlive the
 * window.
 */
void event_window_init(struct event_window *window, event_batch_next *next,
		       void *ctx);
void event_window_free(struct event_window *window);

/* The result of comparing the events that two engines produced from one stream.
 * Arrays have an element for each engine.
 */
struct event_comparison {
	uint64_t compared; /* events equal except for their times */
	uint64_t same_ns;  /* events that also have equal times */
	uint64_t gaps[2];  /* number of gaps */
	uint64_t alone[2]; /* events of one engine where the other has a gap */
	bool differs;
	bool is_time;			/* only the times differ */
	struct function_event first[2]; /* the first difference */
	uint64_t number[2]; /* number of events before the first difference */
};

/* Compares both windows to their ends or to the first difference. Each event's
 * time must lie within the bounds of the other's.
 *
 * Engines resume at different positions after a gap, and one engine may follow
 * code that the other cannot: the comparison resumes where several events are
 * equal again. Returns 0 or a negative enum error.
 */
int event_compare(struct event_window *one, struct event_window *other,
		  struct event_comparison *comparison);

#endif
