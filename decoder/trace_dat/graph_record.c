/* SPDX-License-Identifier: MIT */
#include "decoder/trace_dat/graph_record.h"

/* TASK_REPORT_MAX of include/linux/sched.h: it was preempted. */
enum { STATE_PREEMPTED = 0x100 };

/* The kernel's shadow stack is far smaller: 50 to 256 functions. */
enum { DEPTH_MOST = 4096 };

static int64_t number(const struct tracepoint_field *field,
		      const struct ring_event *event)
{
	return tracepoint_number(field, event->bytes, event->size);
}

static bool find_event(const struct graph_trace *graph, uint32_t id,
		       enum graph_event *event)
{
	for (int i = 0; i < GRAPH_EVENTS; i++)
		if (graph->ids[i] && graph->ids[i] == id) {
			*event = (enum graph_event)i;
			return true;
		}
	return false;
}

static void read_switch(const struct graph_trace *graph,
			const struct ring_event *event,
			struct graph_record *record)
{
	int64_t state = number(&graph->previous_state, event);

	record->previous = (int32_t)number(&graph->previous_pid, event);
	record->next = (int32_t)number(&graph->next_pid, event);
	record->is_preempted = !state || state & STATE_PREEMPTED;
}

/* Returns whether @event is of enum graph_event. */
static bool read_event(const struct graph_trace *graph,
		       const struct ring_event *event,
		       struct graph_record *record)
{
	enum graph_event kind;

	if (!find_event(graph, (uint32_t)number(&graph->type, event), &kind))
		return false;
	record->event = kind == GRAPH_ENTRY_FROM ? GRAPH_ENTRY : kind;
	record->time_ns = event->time_ns;
	record->place = event->place;
	record->tid = (int32_t)number(&graph->pid, event);
	if (kind == GRAPH_SWITCH) {
		read_switch(graph, event, record);
		return true;
	}
	record->address = (uint64_t)number(&graph->function[kind], event);
	record->depth = (int32_t)number(&graph->depth[kind], event);
	if (record->depth >= 0 && record->depth <= DEPTH_MOST)
		return true;
	record->is_behind_bad = true;
	return false;
}

int graph_record_next(struct ring_pages *pages, struct graph_record *record)
{
	struct ring_event event;

	*record = (struct graph_record){ 0 };
	while (ring_pages_next(pages, &event)) {
		record->has_loss |= event.has_loss;
		record->is_behind_bad |= event.is_behind_bad;
		if (read_event(pages->graph, &event, record))
			return 1;
	}
	return 0;
}
