/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_EVENT_ALIGN_H
#define KT_CMD_EVENT_ALIGN_H

#include <stdbool.h>
#include <stddef.h>

struct event_window;
struct function_event;

/* Returns whether both events are equal except for their times. Two gaps are
 * equal if they have the same reason.
 */
bool event_is_same(const struct function_event *one,
		   const struct function_event *other);

/* Returns whether each event's time lies within the other's bounds. */
bool event_times_agree(const struct function_event *one,
		       const struct function_event *other);

/* Searches for the first position where several consecutive events of both
 * windows are equal and at the same time.
 *
 * Returns true if there is one; skip[] is then the number of events before it
 * in each window. Otherwise skip[] is the number of events that cannot be part
 * of such a position; both are 0 at the end.
 */
bool event_align(struct event_window *one, struct event_window *other,
		 size_t skip[2]);

#endif
