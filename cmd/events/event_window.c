/* SPDX-License-Identifier: MIT */
#include "cmd/events/event_window.h"

#include "common/error.h"

#include <stdlib.h>
#include <string.h>

void event_window_init(struct event_window *window, event_batch_next *next,
		       void *ctx)
{
	*window = (struct event_window){ .next = next, .ctx = ctx };
}

void event_window_free(struct event_window *window)
{
	free(window->events);
}

/* Makes room for @count more events after those in the window. */
static bool make_room(struct event_window *window, size_t count)
{
	size_t left = window->end - window->first;
	struct function_event *larger;

	if (left && window->first)
		memmove(window->events, window->events + window->first,
			left * sizeof(*window->events));
	window->first = 0;
	window->end = left;
	if (left + count <= window->room)
		return true;
	larger = realloc(window->events, (left + count) * 2 * sizeof(*larger));
	if (!larger)
		return false;
	window->events = larger;
	window->room = (left + count) * 2;
	return true;
}

static void read_on(struct event_window *window)
{
	const struct function_event *batch;
	int count = window->next(window->ctx, &batch);

	if (count > 0 && !make_room(window, (size_t)count))
		count = -ERROR_MEMORY;
	if (count <= 0) {
		window->at_end = true;
		window->error = count;
		return;
	}
	memcpy(window->events + window->end, batch,
	       (size_t)count * sizeof(*batch));
	window->end += (size_t)count;
}

size_t event_window_fill(struct event_window *window, size_t count)
{
	while (!window->at_end && window->end - window->first < count)
		read_on(window);
	return window->end - window->first;
}
