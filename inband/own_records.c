/* SPDX-License-Identifier: MIT */
#include "inband/own_records.h"
#include "collector/records/loss_record.h"
#include "collector/records/record_watch.h"
#include "collector/thread_events/thread_events.h"
#include "collector/trace_unit/tracer.h"
#include "collector/writer/trace_record.h"
#include "common/bytes.h"
#include "inband/part_bytes.h"
#include "inband/trace_tail.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

/* Room for an AUX record that reports a full buffer, and for padding. The tail
 * since a PSB has its own room, since it is at most as long as the buffer.
 */
enum { SPARE_BYTES = 4096, UNIT_ID_BYTES = 64 };

size_t own_records_room(const struct thread_events *events)
{
	size_t room = events->ring.size + 2 * events->aux.size +
		      sizeof(struct trace_record) + SPARE_BYTES +
		      events->cpus.cpus.count * UNIT_ID_BYTES;

	for (size_t i = 0; i < events->cpu_rings.count; i++) {
		const struct ring *ring = array_at(&events->cpu_rings, i);

		room += ring->size;
	}
	return room;
}

/* Returns whether the record of @header.size bytes, which starts with @header,
 * reports a code change.
 */
static bool is_change(const struct thread_events *events,
		      const struct perf_event_header *header,
		      const uint8_t *record)
{
	uint64_t id; /* the first of EVENT_SAMPLE_TYPE */

	if (header->type == PERF_RECORD_SAMPLE &&
	    header->size >= sizeof(*header) + sizeof(id)) {
		memcpy(&id, record + sizeof(*header), sizeof(id));
		return thread_events_is_patch(events, id);
	}
	return header->type == PERF_RECORD_TEXT_POKE ||
	       header->type == PERF_RECORD_KSYMBOL ||
	       header->type == PERF_RECORD_BPF_EVENT;
}

/* Moves records of code changes from @from on to @lasting, and copies those
 * with trace unit ids.
 */
static void take_lasting(const struct thread_events *events,
			 struct part_bytes *part, uint8_t *from,
			 struct lasting_records *lasting)
{
	const uint8_t *end = part->bytes + part->size;
	uint8_t *kept = from;

	while (from < end) {
		struct perf_event_header header;

		memcpy(&header, from, sizeof(header));
		if (is_change(events, &header, from)) {
			byte_buffer_add(&lasting->changes, from, header.size);
		} else {
			if (header.type == PERF_RECORD_AUX_OUTPUT_HW_ID)
				byte_buffer_add(&lasting->unit_ids, from,
						header.size);
			memmove(kept, from, header.size);
			kept += header.size;
		}
		from += header.size;
	}
	part->size = (size_t)(kept - part->bytes);
	part->records_size = part->size;
}

/* Adds losses to @counts. */
static void take_ring(const struct thread_events *events, struct ring *ring,
		      struct part_bytes *part, struct lasting_records *lasting,
		      struct record_counts *counts)
{
	struct ring_bytes bytes = ring_read(ring);
	uint8_t *first;

	if (!bytes.size)
		return;
	record_watch(&bytes, counts, NULL);
	first = part_bytes_add_ring(part, &bytes);
	ring_release(ring, &bytes);
	take_lasting(events, part, first, lasting);
}

static struct record_counts take_rings(struct thread_events *events,
				       struct part_bytes *part,
				       struct lasting_records *lasting)
{
	struct record_counts counts = { 0 };

	part_bytes_clear(part);
	part_bytes_add(part, lasting->unit_ids.bytes, lasting->unit_ids.size);
	take_ring(events, &events->ring, part, lasting, &counts);
	for (size_t i = 0; i < events->cpu_rings.count; i++)
		take_ring(events, array_at(&events->cpu_rings, i), part,
			  lasting, &counts);
	return counts;
}

void own_records_drop(struct thread_events *events, struct part_bytes *part,
		      struct lasting_records *lasting)
{
	take_rings(events, part, lasting);
	part_bytes_clear(part);
}

/* The kernel does not always report this: see tell_full() of the collector. */
static void say_full(const struct thread_events *events,
		     struct part_bytes *part)
{
	const struct event *trace =
		event_list_find(&events->events, events->trace_spec, -1);
	struct byte_buffer record = { 0 };

	loss_record_add(&record, trace, aux_ring_head(&events->aux),
			thread_events_now_ns(events));
	if (!record.failed)
		part_bytes_add(part, record.bytes, record.size);
	byte_buffer_free(&record);
}

bool own_records_need_tail(const struct thread_events *events)
{
	return events->tracer->set_often;
}

static void keep_tail(struct part_bytes *part, const struct ring_bytes *trace,
		      const uint8_t *place, struct trace_tail *tail)
{
	trace_tail_keep(tail, place, part->trace_size,
			trace->start + trace->size - part->trace_size);
	/* Cycles per instruction are measured between PSBs. If a new PSB
	 * arrived, the measurement covers the trace before the bracket, so that
	 * must be followed.
	 */
	if (tail->start >= trace->start)
		part->before_size = 0;
}

static void take_trace(struct thread_events *events, pid_t tid,
		       struct part_bytes *part, struct trace_tail *tail)
{
	struct ring_bytes trace = aux_ring_read(&events->aux);
	const uint8_t *place;

	if (!trace.size)
		return;
	place = part_bytes_add_trace(part, tid, tail, &trace);
	if (own_records_need_tail(events))
		keep_tail(part, &trace, place, tail);
	aux_ring_release(&events->aux, &trace);
}

void own_records_take(struct thread_events *events, pid_t tid,
		      struct part_bytes *part, struct lasting_records *lasting,
		      struct trace_tail *tail)
{
	const struct record_counts counts = take_rings(events, part, lasting);
	bool is_full = aux_ring_is_full(&events->aux);

	if (is_full && !counts.truncated)
		say_full(events, part);
	take_trace(events, tid, part, tail);
	if (is_full || counts.truncated)
		trace_tail_forget(tail);
}
