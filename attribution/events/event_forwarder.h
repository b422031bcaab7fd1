/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_EVENT_FORWARDER_H
#define KT_ATTRIBUTION_EVENT_FORWARDER_H

#include "attribution/events/event_handler.h"

/* An event forwarder is an event handler that passes on all it sees to another:
 * for a table around the object that fills it.  The forwarder is the first
 * member of the table.
 */
struct event_forwarder {
	struct event_handler handler;
	struct event_handler *to; /* borrowed */
};

/* Returns one that passes on to @to, all of whose functions are there. */
struct event_forwarder event_forwarder_to(struct event_handler *to);

#endif
