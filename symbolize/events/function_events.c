/* SPDX-License-Identifier: MIT */
#include "symbolize/events/function_events.h"
#include "symbolize/events/function_events_parts.h"

#include <stdlib.h>

struct function_events *function_events_new(struct flow_source *source,
					    const struct symbols *symbols,
					    int32_t pid, int32_t tid)
{
	struct function_events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	events->source = source;
	events->symbols = symbols;
	events->arch = symbols_arch(symbols);
	events->exit = EXIT_UNSEEN;
	events->nmi_return = NO_NMI;
	events->tasks.current = (struct task_id){ .pid = pid, .tid = tid };
	events->own.tid = -1;
	events->cache = symbol_cache_new(symbols);
	if (!events->cache) {
		function_events_free(events);
		return NULL;
	}
	symbol_cache_switch(events->cache, pid);
	return events;
}

void function_events_of_thread(struct function_events *events)
{
	events->own = events->tasks.current;
}

void function_events_free(struct function_events *events)
{
	if (!events)
		return;
	symbol_cache_free(events->cache);
	free(events);
}

static bool stays_inside(const struct function_events *events, uint64_t ip)
{
	return events->exit <= FLOW_EXIT_JUMP && ip >= events->here.start &&
	       ip < events->here.end;
}

static void take_block(struct function_events *events,
		       const struct flow_item *item)
{
	if (!stays_inside(events, item->ip))
		function_events_arrive(events, item);
	events->exit = item->detail;
	events->exit_end = item->ip + item->last;
	if (item->detail == FLOW_EXIT_CALL ||
	    item->detail == FLOW_EXIT_FAR_CALL)
		events->return_address = flow_return_address(item);
}

static void take_async(struct function_events *events,
		       const struct flow_item *item)
{
	/* The last block's branch was done: it led to what is interrupted. */
	if (events->exit != EXIT_UNSEEN && !stays_inside(events, item->ip))
		function_events_arrive(events, item);
	events->exit = EXIT_ASYNC;
	events->return_address = item->ip;
}

static void forget_place(struct function_events *events, uint8_t exit)
{
	events->exit = exit;
	events->fold.active = false;
	events->folds.count = 0;
	events->here = (struct symbol){ .function = FUNCTION_NONE };
}

static void take_stop(struct function_events *events,
		      const struct flow_item *item)
{
	function_events_emit(events, item, FUNCTION_TRACE_STOP)->detail =
		item->detail;
	forget_place(events, EXIT_UNSEEN);
	/* Kernel entry and exit do not switch: it is still to come. */
	events->outside = item->detail == FLOW_STOP_LEVEL;
	if (events->outside)
		events->nmi_return = NO_NMI;
	if (events->outside || events->nmi_return != NO_NMI)
		return;
	events->running = false;
	if (task_switch_lost(&events->tasks, item->time_ns))
		function_events_emit_switch(events, item);
}

static void take_gap(struct function_events *events,
		     const struct flow_item *item)
{
	struct function_event *event =
		function_events_emit(events, item, FUNCTION_GAP);

	event->detail = item->detail;
	event->address = item->ip;
	event->lost_bytes = item->last;
	forget_place(events, EXIT_UNSEEN);
	events->running = false;
	events->outside = false;
	events->nmi_return = NO_NMI;
	if (task_switch_lost(&events->tasks, item->time_ns))
		function_events_emit_switch(events, item);
}

static bool is_of_flow(const struct flow_item *item)
{
	return item->kind <= FLOW_GAP;
}

static void take_item(struct function_events *events,
		      const struct flow_item *item)
{
	if (events->own.tid >= 0 && is_of_flow(item) &&
	    task_switch_back(&events->tasks, &events->own))
		function_events_emit_switch(events, item);
	switch ((enum flow_kind)item->kind) {
	case FLOW_BLOCK:
		take_block(events, item);
		break;
	case FLOW_ASYNC:
		take_async(events, item);
		break;
	case FLOW_START:
		forget_place(events, events->outside ? EXIT_ENTRY : EXIT_START);
		events->outside = false;
		break;
	case FLOW_STOP:
		take_stop(events, item);
		break;
	case FLOW_GAP:
		take_gap(events, item);
		break;
	case FLOW_SWITCH:
		if (task_switch_record(&events->tasks, item, events->running))
			function_events_emit_switch(events, item);
		break;
	case FLOW_END:
		function_events_emit(events, item, FUNCTION_END);
		break;
	case FLOW_MODE:
	case FLOW_ADDRESS_SPACE:
	case FLOW_TRANSACTION:
	case FLOW_PTWRITE:
		break;
	}
}

int function_events_next(struct function_events *events,
			 const struct function_event **batch)
{
	events->event_count = 0;
	while (events->event_count <= BATCH_EVENTS - EVENTS_PER_ITEM) {
		if (events->item_at == events->item_count) {
			int count;

			if (events->event_count)
				break;
			count = flow_source_next(events->source,
						 &events->items);
			if (count <= 0)
				return count;
			events->item_count = (size_t)count;
			events->item_at = 0;
		}
		take_item(events, &events->items[events->item_at++]);
	}
	*batch = events->events;
	return (int)events->event_count;
}
