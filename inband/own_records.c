/* SPDX-License-Identifier: MIT */
#include "inband/own_records.h"
#include "collector/bytes/byte_buffer.h"
#include "collector/records/loss_record.h"
#include "collector/records/record_watch.h"
#include "collector/writer/trace_record.h"
#include "inband/own_events.h"
#include "inband/part_bytes.h"
#include "inband/trace_tail.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

/* A record of AUX that says that the buffer was full, padding, and the trace
 * since a PSB, which is no more than the buffer holds.
 */
enum { SPARE_BYTES = 4096 };

size_t own_records_room(const struct own_events *events)
{
	size_t room = events->ring.size + 2 * events->aux.size +
		      sizeof(struct trace_record) + SPARE_BYTES;

	for (size_t i = 0; i < events->cpu_rings.count; i++) {
		const struct ring *ring = array_at(&events->cpu_rings, i);

		room += ring->size;
	}
	return room;
}

static bool is_change(uint32_t type)
{
	return type == PERF_RECORD_TEXT_POKE || type == PERF_RECORD_KSYMBOL ||
	       type == PERF_RECORD_BPF_EVENT;
}

/* Moves those of the records from @from on that tell of changes. */
static void take_changes(struct part_bytes *part, uint8_t *from,
			 struct byte_buffer *changes)
{
	const uint8_t *end = part->bytes + part->size;
	uint8_t *kept = from;

	while (from < end) {
		struct perf_event_header header;

		memcpy(&header, from, sizeof(header));
		if (is_change(header.type)) {
			byte_buffer_add(changes, from, header.size);
		} else {
			memmove(kept, from, header.size);
			kept += header.size;
		}
		from += header.size;
	}
	part->size = (size_t)(kept - part->bytes);
	part->records_size = part->size;
}

/* Counts what was lost in @counts. */
static void take_ring(struct ring *ring, struct part_bytes *part,
		      struct byte_buffer *changes, struct record_counts *counts)
{
	struct ring_bytes bytes = ring_read(ring);
	uint8_t *first;

	if (!bytes.size)
		return;
	record_watch(&bytes, counts, NULL);
	first = part_bytes_add_ring(part, &bytes);
	ring_release(ring, &bytes);
	take_changes(part, first, changes);
}

static struct record_counts take_rings(struct own_events *events,
				       struct part_bytes *part,
				       struct byte_buffer *changes)
{
	struct record_counts counts = { 0 };

	part_bytes_clear(part);
	take_ring(&events->ring, part, changes, &counts);
	for (size_t i = 0; i < events->cpu_rings.count; i++)
		take_ring(array_at(&events->cpu_rings, i), part, changes,
			  &counts);
	return counts;
}

void own_records_drop(struct own_events *events, struct part_bytes *part,
		      struct byte_buffer *changes)
{
	take_rings(events, part, changes);
	part_bytes_clear(part);
}

/* The kernel does not always say so: see tell_full() of the collector. */
static void say_full(const struct own_events *events, struct part_bytes *part)
{
	const struct event *trace =
		event_list_find(&events->events, events->trace_spec, -1);
	struct byte_buffer record = { 0 };

	loss_record_add(&record, trace, aux_ring_head(&events->aux),
			own_events_now_ns(events));
	if (!record.failed)
		part_bytes_add(part, record.bytes, record.size);
	byte_buffer_free(&record);
}

static void take_trace(struct own_events *events, pid_t tid,
		       struct part_bytes *part, struct trace_tail *tail)
{
	struct ring_bytes trace = aux_ring_read(&events->aux);
	const uint8_t *place;

	if (!trace.size)
		return;
	place = part_bytes_add_trace(part, tid, tail, &trace);
	trace_tail_keep(tail, place, part->trace_size,
			trace.start + trace.size - part->trace_size);
	aux_ring_release(&events->aux, &trace);
}

void own_records_take(struct own_events *events, pid_t tid,
		      struct part_bytes *part, struct byte_buffer *changes,
		      struct trace_tail *tail)
{
	const struct record_counts counts = take_rings(events, part, changes);
	bool is_full = aux_ring_is_full(&events->aux);

	if (is_full && !counts.truncated)
		say_full(events, part);
	take_trace(events, tid, part, tail);
	if (is_full || counts.truncated)
		trace_tail_forget(tail);
}
