/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "symbolize/events/graph_stream.h"

int graph_events_add_at(struct graph_events *events,
			struct function_event event, uint64_t time_ns)
{
	struct function_event *added = array_add(&events->out);

	if (!added)
		return -ERROR_MEMORY;
	if (time_ns > events->last_ns)
		events->last_ns = time_ns;
	*added = event;
	added->time_ns = events->last_ns;
	return 0;
}

struct symbol graph_events_symbol(const struct graph_events *events,
				  const struct graph_record *record)
{
	struct symbol symbol;

	symbols_find(events->symbols, -1, 0, record->address, &symbol);
	return symbol;
}

int graph_events_add(struct graph_events *events, struct function_event event)
{
	return graph_events_add_at(events, event, events->record.time_ns);
}
