/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_EVENT_WINDOW_H
#define KT_CMD_EVENT_WINDOW_H

#include "report/steps/event_merge.h"

#include <stdbool.h>
#include <stddef.h>

/* A look-ahead window into a stream of function events: those read and not yet
 * dropped.
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

/* Reads until the window holds @count events. Returns how many it holds, fewer
 * than @count at the end of the stream.
 */
size_t event_window_fill(struct event_window *window, size_t count);

/* Returns event @index of the window, or NULL if the stream ends before it. */
static inline const struct function_event *
event_window_peek(struct event_window *window, size_t index)
{
	if (window->end - window->first <= index &&
	    event_window_fill(window, index + 1) <= index)
		return NULL;
	return &window->events[window->first + index];
}

/* Drops the first @count events, which must be in the window. */
static inline void event_window_drop(struct event_window *window, size_t count)
{
	window->first += count;
}

#endif
