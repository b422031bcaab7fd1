/* SPDX-License-Identifier: MIT */
#include "collector/collector_parts.h"
#include "collector/events/event_refusal.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <string.h>

struct cpu_rings *collector_rings(const struct collector *collector, int cpu)
{
	struct cpu_rings *rings = collector->cpus.items;

	while (rings->cpu != cpu)
		rings++;
	return rings;
}

struct trace_clock collector_clock(const struct collector *collector)
{
	const struct cpu_rings *rings = collector->cpus.items;

	return (struct trace_clock){ collector->tracer,
				     rings->ring[RING_TRACE].page };
}

static int attach_from(struct collector *collector, size_t first)
{
	const struct event *events = collector->events.events.items;

	for (size_t i = first; i < collector->events.events.count; i++) {
		const struct event_spec *spec =
			array_at(&collector->events.specs, events[i].spec);
		int error = cpu_rings_attach(collector_rings(collector,
							     events[i].cpu),
					     &events[i], spec);

		if (error)
			return error;
	}
	return 0;
}

int collector_open_spec(struct collector *collector, size_t spec)
{
	size_t first = collector->events.events.count;
	int error =
		event_list_open(&collector->events, spec, &collector->target);

	if (!error)
		error = attach_from(collector, first);
	return error;
}

int collector_open_or_explain(struct collector *collector, size_t spec)
{
	int error = collector_open_spec(collector, spec);

	if (!error)
		return 0;
	return event_refusal_say(array_at(&collector->events.specs, spec),
				 collector->options->buffer_bytes, error,
				 collector->log);
}

/* Closes what is open of spec number @spec, the last one, which is gone then.
 */
static void take_back(struct collector *collector, size_t spec)
{
	const struct event_spec *what =
		array_at(&collector->events.specs, spec);
	const struct event *events = collector->events.events.items;

	for (size_t i = 0; i < collector->events.events.count; i++)
		if (events[i].spec == spec)
			cpu_rings_detach(collector_rings(collector,
							 events[i].cpu),
					 &events[i], what);
	event_list_remove_last(&collector->events);
}

int collector_open_if_possible(struct collector *collector, int spec)
{
	int error = spec < 0 ? spec :
			       collector_open_spec(collector, (size_t)spec);
	int cause = errno;

	if (spec >= 0 && error == -ERROR_SYSTEM)
		take_back(collector, (size_t)spec);
	errno = cause;
	return error;
}

int collector_open_notes(struct collector *collector, const char *name,
			 size_t *spec)
{
	int added = event_list_add(&collector->events,
				   event_spec_bpf_output(name, RING_NONE));
	int error = collector_open_if_possible(collector, added);

	*spec = (size_t)added;
	if (error == -ERROR_SYSTEM)
		log_message(collector->log, LOG_ERROR, name, LOG_NO_OFFSET,
			    "the kernel refuses: %s", strerror(errno));
	return error;
}
