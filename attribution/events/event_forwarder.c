/* SPDX-License-Identifier: MIT */
#include "attribution/events/event_forwarder.h"

static struct event_handler *next_of(struct event_handler *handler)
{
	return ((struct event_forwarder *)handler)->to;
}

static void pass_step(struct event_handler *handler,
		      const struct call_step *step)
{
	next_of(handler)->step(next_of(handler), step);
}

static void pass_event(struct event_handler *handler,
		       const struct event_record *event)
{
	next_of(handler)->event(next_of(handler), event);
}

static void pass_record(struct event_handler *handler,
			const struct sideband_record *record)
{
	next_of(handler)->record(next_of(handler), record);
}

struct event_forwarder event_forwarder_to(struct event_handler *to)
{
	return (struct event_forwarder){
		.handler = { pass_step, pass_event, pass_record },
		.to = to,
	};
}
