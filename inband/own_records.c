/* SPDX-License-Identifier: MIT */
#include "inband/own_records_internal.h"

#include "collector/records/record_bytes.h"
#include "collector/records/record_watch.h"
#include "collector/thread_events/thread_events.h"
#include "collector/trace_unit/tracer.h"
#include "collector/writer/recording_writer.h"
#include "common/bytes.h"
#include "common/error.h"
#include "decoder/recording/aux_stream.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The last sync point is normally this near to the end. */
enum { USUAL_DISTANCE = 8 << 10 };

/* Returns the offset of the last PSB at or after @from; @size if there is none.
 */
static size_t last_psb(const uint8_t *trace, size_t size, size_t from)
{
	size_t last = size;
	size_t at = from;

	while ((at = intel_psb_find(trace, size, at)) < size)
		last = at++;
	return last;
}

void trace_tail_keep(struct trace_tail *tail, const uint8_t *trace, size_t size,
		     uint64_t start)
{
	size_t near = size > USUAL_DISTANCE ? size - USUAL_DISTANCE : 0;
	size_t at = last_psb(trace, size, near);

	if (at == size && near)
		at = last_psb(trace, size, 0);
	tail->bytes.size = 0;
	tail->start = start + at;
	byte_buffer_add(&tail->bytes, trace + at, size - at);
	if (tail->bytes.failed)
		trace_tail_free(tail);
}

void trace_tail_forget(struct trace_tail *tail)
{
	tail->bytes.size = 0;
}

bool trace_tail_is_synchronised(const struct trace_tail *tail)
{
	return tail->bytes.size;
}

void trace_tail_free(struct trace_tail *tail)
{
	byte_buffer_free(&tail->bytes);
}

int part_bytes_open(struct part_bytes *part, size_t room)
{
	int fd = memfd_create("ktrace-hw", MFD_CLOEXEC);
	void *map = MAP_FAILED;

	*part = (struct part_bytes){ .room = room };
	if (fd >= 0 && !ftruncate(fd, (off_t)room))
		map = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return -ERROR_SYSTEM;
	part->bytes = map;
	return 0;
}

void part_bytes_close(struct part_bytes *part)
{
	if (part->bytes)
		munmap(part->bytes, part->room);
	*part = (struct part_bytes){ 0 };
}

static void part_bytes_clear(struct part_bytes *part)
{
	part->size = 0;
	part->records_size = 0;
	part->trace_size = 0;
	part->before_size = 0;
	part->needs_before = false;
}

static uint8_t *append(struct part_bytes *part, const void *bytes, size_t size)
{
	uint8_t *place = part->bytes + part->size;

	assert(size <= part->room - part->size);
	if (size)
		memcpy(place, bytes, size);
	part->size += size;
	return place;
}

/* Appends records, which must fit. Returns a pointer to them. */
static uint8_t *part_bytes_add(struct part_bytes *part, const void *bytes,
			       size_t size)
{
	uint8_t *place = append(part, bytes, size);

	part->records_size = part->size;
	return place;
}

static uint8_t *part_bytes_add_ring(struct part_bytes *part,
				    const struct ring_bytes *bytes)
{
	uint8_t *place = part_bytes_add(part, bytes->part[0].iov_base,
					bytes->part[0].iov_len);

	part_bytes_add(part, bytes->part[1].iov_base, bytes->part[1].iov_len);
	return place;
}

/* Appends the trace of @tid: @before, then @trace. Nothing can be added
 * afterwards. Returns a pointer to the trace.
 */
static const uint8_t *part_bytes_add_trace(struct part_bytes *part, pid_t tid,
					   const struct trace_tail *before,
					   const struct ring_bytes *trace)
{
	static const uint8_t zeros[8];
	size_t kept = before->bytes.size;
	struct trace_record record =
		trace_record_of(0, -1, tid, kept + trace->size);

	part->trace_start = trace->start - kept;
	part->trace_size = kept + trace->size;
	record.offset = part->trace_start;
	part->before_size = kept;
	append(part, &record, sizeof(record));

	const uint8_t *place = append(part, before->bytes.bytes, kept);

	append(part, trace->part[0].iov_base, trace->part[0].iov_len);
	append(part, trace->part[1].iov_base, trace->part[1].iov_len);
	append(part, zeros, record.size - part->trace_size);
	return place;
}

struct ring_bytes part_bytes_trace(const struct part_bytes *part)
{
	size_t place = part->records_size + sizeof(struct trace_record);

	return ring_split(part->bytes + place, part->trace_size, 0,
			  part->trace_size);
}

/* SPARE_BYTES: room for an AUX record that reports a full buffer, and for
 * padding. UNIT_ID_BYTES: room for one record of lasting_records.unit_ids.
 * own_records_room() counts the trace buffer twice, because the tail may be as
 * long as the buffer.
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
	uint64_t id; /* the first field of samples, by EVENT_SAMPLE_TYPE */

	if (header->type == PERF_RECORD_SAMPLE &&
	    header->size >= sizeof(*header) + sizeof(id)) {
		memcpy(&id, record + sizeof(*header), sizeof(id));
		return thread_events_is_patch(events, id);
	}
	return header->type == PERF_RECORD_TEXT_POKE ||
	       header->type == PERF_RECORD_KSYMBOL ||
	       header->type == PERF_RECORD_BPF_EVENT;
}

/* Moves the records of code changes from @part, at and after @from, to
 * @lasting, and copies those with ids of trace units.
 */
static void consume_lasting(const struct thread_events *events,
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

/* Moves the records of @ring to @part and @lasting, and adds reported losses to
 * @counts.
 */
static void consume_ring(const struct thread_events *events, struct ring *ring,
			 struct part_bytes *part,
			 struct lasting_records *lasting,
			 struct record_counts *counts)
{
	struct ring_bytes bytes = ring_read(ring);
	uint8_t *first;

	if (!bytes.size)
		return;
	record_watch(&bytes, counts, NULL, NULL);
	first = part_bytes_add_ring(part, &bytes);
	ring_release(ring, &bytes);
	consume_lasting(events, part, first, lasting);
}

static struct record_counts consume_rings(struct thread_events *events,
					  struct part_bytes *part,
					  struct lasting_records *lasting)
{
	struct record_counts counts = { 0 };

	part_bytes_clear(part);
	part_bytes_add(part, lasting->unit_ids.bytes, lasting->unit_ids.size);
	consume_ring(events, &events->ring, part, lasting, &counts);
	for (size_t i = 0; i < events->cpu_rings.count; i++)
		consume_ring(events, array_at(&events->cpu_rings, i), part,
			     lasting, &counts);
	return counts;
}

void own_records_drop(struct thread_events *events, struct part_bytes *part,
		      struct lasting_records *lasting)
{
	consume_rings(events, part, lasting);
	part_bytes_clear(part);
}

/* Adds a loss record for a full buffer, which the kernel does not always
 * report: see tell_full() in collector/recording_output.c.
 */
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
	/* Cycles per instruction are measured between PSBs. With a new PSB the
	 * measurement covers the trace before the bracket as well, so the
	 * decoder must follow that trace.
	 */
	part->needs_before = tail->start >= trace->start;
}

static void consume_trace(struct thread_events *events, pid_t tid,
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
	const struct record_counts counts =
		consume_rings(events, part, lasting);
	bool is_full = aux_ring_is_full(&events->aux);

	if (is_full && !counts.truncated)
		say_full(events, part);
	consume_trace(events, tid, part, tail);
	if (is_full || counts.truncated)
		trace_tail_forget(tail);
}
