/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_EVENT_FORWARDER_H
#define KT_ATTRIBUTION_EVENT_FORWARDER_H

#include "attribution/events/event_handler.h"

/* An event forwarder is an event handler that passes on all it sees to another,
 * or two: for a table around the objects that fill it.  The forwarder is the first
 * member of the table.
 */
struct event_forwarder {
	struct event_handler handler;
	struct event_handler *to;   /* borrowed */
	struct event_handler *then; /* the same, or NULL */
};

/* Returns one that passes on what @to has a function for. */
struct event_forwarder event_forwarder_to(struct event_handler *to);

/* Returns one that passes on what @first has a function for, to @first and
 * @then; NULL: to @first alone.
 */
struct event_forwarder event_forwarder_to_both(struct event_handler *first,
					       struct event_handler *then);

#endif
