/* SPDX-License-Identifier: MIT */
#include "attribution/events/event_forwarder.h"

#include <stddef.h>

static void pass_step(struct event_handler *handler,
		      const struct call_step *step)
{
	const struct event_forwarder *by = (struct event_forwarder *)handler;

	by->to->step(by->to, step);
	if (by->then && by->then->step)
		by->then->step(by->then, step);
}

static void pass_event(struct event_handler *handler,
		       const struct event_record *event)
{
	const struct event_forwarder *by = (struct event_forwarder *)handler;

	by->to->event(by->to, event);
	if (by->then && by->then->event)
		by->then->event(by->then, event);
}

static void pass_record(struct event_handler *handler,
			const struct sideband_record *record)
{
	const struct event_forwarder *by = (struct event_forwarder *)handler;

	by->to->record(by->to, record);
	if (by->then && by->then->record)
		by->then->record(by->then, record);
}

struct event_forwarder event_forwarder_to(struct event_handler *to)
{
	return (struct event_forwarder){
		.handler = { to->step ? pass_step : NULL,
			     to->event ? pass_event : NULL,
			     to->record ? pass_record : NULL },
		.to = to,
	};
}

struct event_forwarder event_forwarder_to_both(struct event_handler *first,
					       struct event_handler *then)
{
	struct event_forwarder forwarder = event_forwarder_to(first);

	forwarder.then = then;
	return forwarder;
}
