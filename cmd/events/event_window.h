/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_EVENT_WINDOW_H
#define KT_CMD_EVENT_WINDOW_H

#include "report/steps/event_merge.h"

#include <stdbool.h>
#include <stddef.h>

/* Function events that were read and not yet dropped: a look ahead into a
 * stream of them.
 */
struct event_window {
	event_batch_next *next;
	void *ctx;
	struct function_event *events;
	size_t room;
	size_t first;
	size_t end;
	bool at_end; /* the stream has no more */
	int error;   /* why it has none: a negative enum error */
};

/* Borrows @ctx, which @next is called with. */
void event_window_init(struct event_window *window, event_batch_next *next,
		       void *ctx);
void event_window_free(struct event_window *window);

/* Reads on until @count are there.  Returns how many are, fewer at the end. */
size_t event_window_fill(struct event_window *window, size_t count);

/* Returns event @index of those that are there, or NULL if it has so few. */
static inline const struct function_event *
event_window_peek(struct event_window *window, size_t index)
{
	if (window->end - window->first <= index &&
	    event_window_fill(window, index + 1) <= index)
		return NULL;
	return &window->events[window->first + index];
}

/* Drops the first @count, which are there. */
static inline void event_window_drop(struct event_window *window, size_t count)
{
	window->first += count;
}

#endif
