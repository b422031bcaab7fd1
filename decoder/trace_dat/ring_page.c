/* SPDX-License-Identifier: MIT */
#include "decoder/trace_dat/ring_page.h"

#include "common/array.h"
#include "common/bytes.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/tracepoint.h"

#include <stdbool.h>
#include <string.h>

/* An event starts with 5 bits of kind or length, in words of 4 bytes, and 27
 * bits of the time since the previous event.
 */
enum ring_kind {
	RING_LONG = 0, /* the length is in the next word */
	RING_PADDING = 29,
	RING_TIME_EXTEND = 30, /* the next word has the time's upper bits */
	RING_TIME_STAMP = 31,  /* like RING_TIME_EXTEND, but absolute */
};

enum { KIND_BITS = 5, DELTA_BITS = 27, WORD = 4 };

/* The commit count of a page: its size, and a flag. */
#define COMMIT_MASK ((1u << DELTA_BITS) - 1)
#define MISSED_EVENTS (1u << 31)

/* A time stamp has 59 bits; the higher ones are from the page. */
#define STAMP_MASK ((UINT64_C(1) << 59) - 1)

struct ring_pages ring_pages_of(const struct graph_trace *graph,
				const struct aux_stream *stream)
{
	return (struct ring_pages){ .graph = graph, .stream = stream };
}

static uint32_t word_at(const uint8_t *bytes)
{
	struct byte_reader reader = byte_reader_of(bytes, WORD);

	return byte_reader_u32(&reader);
}

static void begin_page(struct ring_pages *pages, const uint8_t *page)
{
	const struct graph_trace *graph = pages->graph;
	struct byte_reader reader =
		byte_reader_of(page, pages->graph->data_offset);
	uint32_t room = graph->page_bytes - graph->data_offset;
	uint32_t commit;
	uint32_t size;

	pages->time_ns = byte_reader_u64(&reader);
	commit = byte_reader_u32(&reader);
	size = commit & COMMIT_MASK;
	pages->page = page;
	pages->has_loss |= (commit & MISSED_EVENTS) != 0;
	pages->follows_damage |= size > room;
	pages->event = page + graph->data_offset;
	pages->end = pages->event + (size > room ? 0 : size);
}

/* Returns whether there is another page. */
static bool next_page(struct ring_pages *pages)
{
	const struct aux_stream *stream = pages->stream;

	while (pages->piece < stream->piece_count) {
		const struct aux_piece *piece = &stream->pieces[pages->piece];

		if (piece->size_bytes - pages->at >= pages->graph->page_bytes) {
			pages->page_place = piece->offset + pages->at;
			begin_page(pages, piece->bytes + pages->at);
			pages->at += pages->graph->page_bytes;
			return true;
		}
		pages->piece++;
		pages->at = 0;
	}
	return false;
}

/* Leaves the page, whose rest cannot be read. Returns false. */
static bool leave_page(struct ring_pages *pages)
{
	pages->follows_damage = true;
	pages->event = pages->end;
	return false;
}

/* Sets @event's bytes to those of an event with data, whose header was read.
 * Returns false if they exceed the page.
 */
static bool consume_data(struct ring_pages *pages, uint32_t kind,
			 struct ring_event *event)
{
	size_t left = (size_t)(pages->end - pages->event);
	size_t size = (size_t)kind * WORD;

	event->bytes = pages->event;
	if (kind == RING_LONG) {
		size = left < WORD ? 0 : word_at(pages->event);
		event->bytes += WORD;
		if (size < WORD || size > COMMIT_MASK)
			return leave_page(pages);
		event->size = size - WORD;
		size = (size + WORD - 1) / WORD * WORD;
	} else {
		event->size = size;
	}
	if (size > left)
		return leave_page(pages);
	pages->event += size;
	return true;
}

/* Skips discarded events, and the rest of a page that was too small for the
 * next.
 */
static void skip_padding(struct ring_pages *pages, uint32_t delta)
{
	size_t left = (size_t)(pages->end - pages->event);
	uint32_t size = delta && left >= WORD ? word_at(pages->event) : 0;

	if (!size || size > left)
		pages->event = pages->end;
	else
		pages->event += size;
	pages->time_ns += delta;
}

static void consume_time(struct ring_pages *pages, uint32_t kind,
			 uint32_t delta)
{
	uint64_t time;

	if (pages->end - pages->event < WORD) {
		leave_page(pages);
		return;
	}
	time = ((uint64_t)word_at(pages->event) << DELTA_BITS) + delta;
	pages->event += WORD;
	if (kind == RING_TIME_EXTEND)
		pages->time_ns += time;
	else
		pages->time_ns = (pages->time_ns & ~STAMP_MASK) |
				 (time & STAMP_MASK);
}

/* Reads the next entry of the page. Returns whether it is an event with data,
 * which @event then describes.
 */
static bool consume_one(struct ring_pages *pages, struct ring_event *event)
{
	uint32_t head;
	uint32_t kind;
	uint32_t delta;

	if (pages->end - pages->event < WORD)
		return leave_page(pages);
	event->place =
		pages->page_place + (uint64_t)(pages->event - pages->page);
	head = word_at(pages->event);
	pages->event += WORD;
	kind = head & ((1u << KIND_BITS) - 1);
	delta = head >> KIND_BITS;
	if (kind == RING_PADDING) {
		skip_padding(pages, delta);
		return false;
	}
	if (kind == RING_TIME_EXTEND || kind == RING_TIME_STAMP) {
		consume_time(pages, kind, delta);
		return false;
	}
	pages->time_ns += delta;
	event->time_ns = pages->time_ns;
	return consume_data(pages, kind, event);
}

int ring_pages_next(struct ring_pages *pages, struct ring_event *event)
{
	for (;;) {
		if (pages->event == pages->end) {
			if (!next_page(pages))
				return 0;
			continue;
		}
		if (!consume_one(pages, event))
			continue;
		event->has_loss = pages->has_loss;
		event->follows_damage = pages->follows_damage;
		pages->has_loss = false;
		pages->follows_damage = false;
		return 1;
	}
}

bool ring_pages_times(const struct graph_trace *graph,
		      const struct aux_stream *stream, uint64_t *first_ns,
		      uint64_t *last_ns)
{
	struct ring_pages pages = ring_pages_of(graph, stream);
	struct ring_event event;
	const struct aux_piece *last;

	if (!ring_pages_next(&pages, &event))
		return false;
	*first_ns = event.time_ns;
	*last_ns = event.time_ns;
	last = &stream->pieces[stream->piece_count - 1];
	pages = ring_pages_of(graph, stream);
	pages.piece = stream->piece_count - 1;
	if (last->size_bytes >= graph->page_bytes)
		pages.at = last->size_bytes - graph->page_bytes;
	while (ring_pages_next(&pages, &event))
		*last_ns = event.time_ns;
	return true;
}

/* TASK_REPORT_MAX of include/linux/sched.h: the task was preempted. */
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

/* Reads @event if it is of enum graph_event. Returns false if it is another, or
 * if its depth is invalid: follows_damage is set then.
 */
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
	record->follows_damage = true;
	return false;
}

int graph_record_next(struct ring_pages *pages, struct graph_record *record)
{
	struct ring_event event;

	*record = (struct graph_record){ 0 };
	while (ring_pages_next(pages, &event)) {
		record->has_loss |= event.has_loss;
		record->follows_damage |= event.follows_damage;
		if (read_event(pages->graph, &event, record))
			return 1;
	}
	return 0;
}

/* Returns whether the field is a number of a supported size. */
static bool is_number(const struct tracepoint_field *field)
{
	return field && !field->is_dynamic &&
	       (field->size == 1 || field->size == 2 || field->size == 4 ||
		field->size == 8);
}

static bool find_field(const struct tracepoint *format, const char *name,
		       struct tracepoint_field *field)
{
	const struct tracepoint_field *found = tracepoint_field(format, name);

	if (!is_number(found))
		return false;
	*field = *found;
	return true;
}

static const struct tracepoint *
find_format(const struct array *formats, const char *system, const char *name)
{
	for (size_t i = 0; i < formats->count; i++) {
		const struct tracepoint *format = array_at(formats, i);

		if (!strcmp(format->system, system) &&
		    !strcmp(format->name, name))
			return format;
	}
	return NULL;
}

static bool find_function(const struct array *formats, const char *name,
			  enum graph_event event, struct graph_trace *graph)
{
	const struct tracepoint *format = find_format(formats, "ftrace", name);

	if (!format || !find_field(format, "func", &graph->function[event]) ||
	    !find_field(format, "depth", &graph->depth[event]))
		return false;
	graph->ids[event] = format->id;
	/* All events have these at the same offsets. */
	return find_field(format, "common_type", &graph->type) &&
	       find_field(format, "common_pid", &graph->pid);
}

static void find_switch(const struct array *formats, struct graph_trace *graph)
{
	const struct tracepoint *format =
		find_format(formats, "sched", "sched_switch");

	if (format && find_field(format, "prev_pid", &graph->previous_pid) &&
	    find_field(format, "prev_state", &graph->previous_state) &&
	    find_field(format, "next_pid", &graph->next_pid))
		graph->ids[GRAPH_SWITCH] = format->id;
}

void graph_formats_find(const struct array *formats,
			const struct tracepoint *page, uint32_t page_bytes,
			struct graph_trace *graph)
{
	struct tracepoint_field commit;
	struct tracepoint_field data;

	*graph = (struct graph_trace){ 0 };
	if (!find_function(formats, "funcgraph_entry", GRAPH_ENTRY, graph) ||
	    !find_function(formats, "funcgraph_exit", GRAPH_EXIT, graph) ||
	    !find_field(page, "commit", &commit) || commit.size < 4 ||
	    commit.offset != sizeof(uint64_t) ||
	    !tracepoint_field(page, "data"))
		return;
	data = *tracepoint_field(page, "data");
	if (data.offset < commit.offset + commit.size ||
	    data.offset > page_bytes / 2)
		return;
	find_function(formats, "funcgraph_retaddr_entry", GRAPH_ENTRY_FROM,
		      graph);
	find_switch(formats, graph);
	graph->data_offset = data.offset;
	graph->page_bytes = page_bytes;
}
