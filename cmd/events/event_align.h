/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_EVENT_ALIGN_H
#define KT_CMD_EVENT_ALIGN_H

#include <stdbool.h>
#include <stddef.h>

struct event_window;
struct function_event;

/* Returns whether they are the same event, but for their times; of gaps only
 * the reason counts.
 */
bool event_is_same(const struct function_event *one,
		   const struct function_event *other);

/* Returns whether each one's time lies within the other's bounds. */
bool event_times_agree(const struct function_event *one,
		       const struct function_event *other);

/* Looks for the first place where several events of both are the same at the
 * same time.
 *
 * Returns whether there is one, with *@skip, how many come before it in each.
 * If not, *@skip is how many cannot be part of one; 0 of both at the end.
 */
bool event_align(struct event_window *one, struct event_window *other,
		 size_t skip[2]);

#endif
