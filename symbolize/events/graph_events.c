/* SPDX-License-Identifier: MIT */
#include "symbolize/events/graph_events.h"

#include "common/error.h"
#include "decoder/flow/flow.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/tracepoint.h"
#include "symbolize/events/graph_stream.h"

#include <stdlib.h>

/* Events of a batch; a switch ends it earlier. */
enum { BATCH_EVENTS = 512 };

/* The kernel changes stacks between the last function of one task and the first
 * of the next. They are this close, unless the tracer filters functions.
 */
enum { NEAR_NS = 20000 };

int32_t graph_events_first_tid(const struct recording *recording,
			       const struct aux_stream *stream)
{
	struct ring_pages pages =
		ring_pages_of(recording_graph_trace(recording), stream);
	struct graph_record record;

	return graph_record_next(&pages, &record) ? record.tid : -1;
}

int graph_events_open(const struct recording *recording,
		      const struct aux_stream *stream,
		      const struct symbols *symbols, struct graph_tasks *tasks,
		      struct graph_events **opened)
{
	int32_t tid = graph_events_first_tid(recording, stream);
	struct graph_events *events = calloc(1, sizeof(*events));

	if (!events)
		return -ERROR_MEMORY;
	events->symbols = symbols;
	events->tasks = tasks;
	events->cpu = stream->cpu;
	events->pages = ring_pages_of(recording_graph_trace(recording), stream);
	events->out = ARRAY_OF(struct function_event);
	events->task = graph_tasks_get(tasks, stream->cpu, tid);
	if (!events->task) {
		graph_events_close(events);
		return -ERROR_MEMORY;
	}
	*opened = events;
	return 0;
}

void graph_events_close(struct graph_events *events)
{
	if (!events)
		return;
	array_free(&events->out);
	free(events);
}

static int switch_to(struct graph_events *events, int32_t tid, uint64_t time_ns)
{
	struct graph_task *task =
		graph_tasks_get(events->tasks, events->cpu, tid);
	struct function_event event = {
		.kind = FUNCTION_SWITCH,
		.detail = events->has_next && events->is_preempted,
	};

	if (!task)
		return -ERROR_MEMORY;
	event.address = (uint64_t)(uint32_t)task->pid << 32 | (uint32_t)tid;
	if (time_ns > events->last_ns &&
	    time_ns - events->last_ns < FLOW_NO_BOUND)
		event.early_ns = (uint32_t)(time_ns - events->last_ns);
	events->task = task;
	events->has_next = false;
	return graph_events_add_at(events, event, time_ns);
}

/* The announced task ran, untraced. */
static int go_away(struct graph_events *events)
{
	struct function_event stop = {
		.kind = FUNCTION_TRACE_STOP,
		.detail = FLOW_STOP_OFF,
	};

	if (events->is_running &&
	    graph_events_add_at(events, stop, events->last_ns) < 0)
		return -ERROR_MEMORY;
	events->is_running = false;
	return switch_to(events, events->next_tid, events->last_ns);
}

/* The current record is of another task than the last one. If another task was
 * announced, or the record only reports that the announced task leaves, the
 * announced one ran untraced: that is a switch to it first.
 */
static int change_task(struct graph_events *events)
{
	const struct graph_record *record = &events->record;
	bool is_near = record->time_ns - events->last_ns <= NEAR_NS;

	if (events->has_next &&
	    (events->next_tid != record->tid || record->event == GRAPH_SWITCH))
		return go_away(events);
	return switch_to(events, record->tid,
			 is_near || !events->is_running ? record->time_ns :
							  events->last_ns);
}

static int lose(struct graph_events *events)
{
	struct function_event gap = {
		.kind = FUNCTION_GAP,
		.detail = events->record.follows_damage ? FLOW_GAP_BAD_TRACE :
							  FLOW_GAP_LOST,
		.address = events->record.place,
	};

	events->record.has_loss = false;
	events->record.follows_damage = false;
	events->is_running = false;
	events->has_next = false;
	return graph_events_add_at(events, gap,
				   events->last_ns ? events->last_ns :
						     events->record.time_ns);
}

static void announce(struct graph_events *events)
{
	events->has_next = true;
	events->next_tid = events->record.next;
	events->is_preempted = events->record.is_preempted;
}

/* Updates the usual distance of records. A distance much longer than usual,
 * such as sleep or user code, counts as a slightly longer one.
 */
static void note_pace(struct graph_events *events)
{
	enum { WEIGHT = 32 };
	uint64_t time_ns = events->record.time_ns;
	uint64_t step_ns =
		time_ns > events->record_ns ? time_ns - events->record_ns : 0;

	if (!events->record_ns)
		step_ns = 0;
	else if (step_ns > 2 * events->pace_ns + WEIGHT)
		step_ns = 2 * events->pace_ns + WEIGHT;
	events->pace_ns = (events->pace_ns * (WEIGHT - 1) + step_ns) / WEIGHT;
	events->record_ns = time_ns;
}

/* Consumes the current record, or a part of it. */
static int take_record(struct graph_events *events)
{
	const struct graph_record *record = &events->record;

	if (record->has_loss || record->follows_damage)
		return lose(events);
	if (record->tid != events->task->tid)
		return change_task(events);
	events->has_record = false;
	switch (record->event) {
	case GRAPH_ENTRY:
	case GRAPH_ENTRY_FROM:
		return graph_calls_enter(events);
	case GRAPH_EXIT:
		return graph_calls_exit(events);
	case GRAPH_SWITCH:
		announce(events);
		return 0;
	case GRAPH_EVENTS:
		break;
	}
	return 0;
}

static int end(struct graph_events *events)
{
	const struct function_event event = { .kind = FUNCTION_END };
	int error = 0;

	if (events->has_next)
		return go_away(events);
	if (events->record.follows_damage || events->record.has_loss)
		error = lose(events);
	events->has_ended = true;
	return error ? error :
		       graph_events_add_at(events, event, events->last_ns);
}

static bool is_full(const struct graph_events *events)
{
	const struct function_event *last =
		events->out.count ?
			array_at(&events->out, events->out.count - 1) :
			NULL;

	return last && (events->out.count >= BATCH_EVENTS ||
			last->kind == FUNCTION_SWITCH);
}

int graph_events_next(struct graph_events *events,
		      const struct function_event **batch)
{
	int error = 0;

	events->out.count = 0;
	while (!error && !events->has_ended && !is_full(events)) {
		if (!events->has_record) {
			events->has_record = graph_record_next(&events->pages,
							       &events->record);
			note_pace(events);
		}
		error = events->has_record ? take_record(events) : end(events);
	}
	*batch = events->out.items;
	return error ? error : (int)events->out.count;
}
