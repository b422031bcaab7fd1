/* SPDX-License-Identifier: MIT */
#include "decoder/trace_dat/ring_page.h"
#include "common/bytes.h"
#include "decoder/recording/graph_trace.h"
#include "decoder/recording/recording.h"

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

/* Flags in the commit count of a page. */
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
	pages->is_behind_bad |= size > room;
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

/* The rest of the page cannot be read. */
static bool leave_page(struct ring_pages *pages)
{
	pages->is_behind_bad = true;
	pages->event = pages->end;
	return false;
}

/* Sets @event's bytes to those of an event with data, whose header was read.
 * Returns false if they exceed the page.
 */
static bool take_data(struct ring_pages *pages, uint32_t kind,
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

static void take_time(struct ring_pages *pages, uint32_t kind, uint32_t delta)
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

/* Reads the next entry of the page. Returns whether it is @event. */
static bool take_one(struct ring_pages *pages, struct ring_event *event)
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
		take_time(pages, kind, delta);
		return false;
	}
	pages->time_ns += delta;
	event->time_ns = pages->time_ns;
	return take_data(pages, kind, event);
}

int ring_pages_next(struct ring_pages *pages, struct ring_event *event)
{
	for (;;) {
		if (pages->event == pages->end) {
			if (!next_page(pages))
				return 0;
			continue;
		}
		if (!take_one(pages, event))
			continue;
		event->has_loss = pages->has_loss;
		event->is_behind_bad = pages->is_behind_bad;
		pages->has_loss = false;
		pages->is_behind_bad = false;
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
