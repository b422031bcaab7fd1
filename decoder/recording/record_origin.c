/* SPDX-License-Identifier: MIT */
#include "common/budget.h"
#include "common/bytes.h"
#include "common/perf_data.h"
#include "decoder/recording/event_table.h"
#include "decoder/recording/record_parse.h"
#include "decoder/recording/record_walk.h"

#include <linux/perf_event.h>

static size_t bit(uint64_t sample_type, uint64_t which)
{
	return sample_type & which ? 8 : 0;
}

/* Returns the size of the struct sample_id at the end of the records of @event.
 */
static size_t trailer_size(const struct recording_event *event)
{
	uint64_t type = event->sample_type;

	if (!event->sample_id_all)
		return 0;
	return bit(type, PERF_SAMPLE_TID) + bit(type, PERF_SAMPLE_TIME) +
	       bit(type, PERF_SAMPLE_ID) + bit(type, PERF_SAMPLE_STREAM_ID) +
	       bit(type, PERF_SAMPLE_CPU) + bit(type, PERF_SAMPLE_IDENTIFIER);
}

/* The ID can be read before its event is known only if IDENTIFIER puts it at a
 * fixed position; perf does so if events differ.
 */
static const struct recording_event *event_of(const struct event_table *events,
					      uint64_t id)
{
	const struct recording_event *first;

	if (!events->events.count)
		return NULL;
	first = array_at(&events->events, 0);
	if (!(first->sample_type & PERF_SAMPLE_IDENTIFIER))
		return first;
	return event_table_event(events, id);
}

/* Treats impossible CPU numbers as unknown: users have arrays indexed by CPU up
 * to the maximum.
 */
static int32_t read_cpu(struct byte_reader *reader)
{
	uint32_t cpu = byte_reader_u32(reader);

	byte_reader_u32(reader);
	return cpu < BUDGET_CPUS ? (int32_t)cpu : -1;
}

static void read_trailer(const struct record *record,
			 struct record_origin *origin)
{
	uint64_t type = origin->event->sample_type;
	struct byte_reader reader = byte_reader_of(
		record->bytes + record->size - origin->size_bytes,
		origin->size_bytes);

	if (type & PERF_SAMPLE_TID) {
		origin->pid = (int32_t)byte_reader_u32(&reader);
		origin->tid = (int32_t)byte_reader_u32(&reader);
	}
	if (type & PERF_SAMPLE_TIME)
		origin->time_ns = byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_ID)
		origin->id = byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_STREAM_ID)
		byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_CPU)
		origin->cpu = read_cpu(&reader);
}

static void parse_trailer(const struct event_table *events,
			  const struct record *record,
			  struct record_origin *origin)
{
	if (record->size < PERF_DATA_RECORD_HEADER_SIZE + 8)
		return;

	struct byte_reader reader =
		byte_reader_of(record->bytes + record->size - 8, 8);

	origin->id = byte_reader_u64(&reader);
	origin->event = event_of(events, origin->id);
	if (!origin->event)
		return;
	origin->size_bytes = trailer_size(origin->event);
	if (origin->size_bytes + PERF_DATA_RECORD_HEADER_SIZE > record->size)
		origin->size_bytes = 0;
	else if (origin->size_bytes)
		read_trailer(record, origin);
}

static void parse_sample(const struct event_table *events,
			 const struct record *record,
			 struct record_origin *origin)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);

	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE);
	origin->id = byte_reader_u64(&reader);
	origin->event = event_of(events, origin->id);
	if (!origin->event)
		return;

	uint64_t type = origin->event->sample_type;

	reader.position = PERF_DATA_RECORD_HEADER_SIZE +
			  bit(type, PERF_SAMPLE_IDENTIFIER) +
			  bit(type, PERF_SAMPLE_IP);
	if (reader.position > record->size)
		return;
	if (type & PERF_SAMPLE_TID) {
		origin->pid = (int32_t)byte_reader_u32(&reader);
		origin->tid = (int32_t)byte_reader_u32(&reader);
	}
	if (type & PERF_SAMPLE_TIME)
		origin->time_ns = byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_ADDR)
		byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_ID)
		byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_STREAM_ID)
		byte_reader_u64(&reader);
	if (type & PERF_SAMPLE_CPU)
		origin->cpu = read_cpu(&reader);
}

/* perf synthesizes records without the kernel's ID at their end; in those the
 * last eight bytes are not a known ID if IDENTIFIER is used.
 */
void record_parse_origin(const struct event_table *events,
			 const struct record *record,
			 struct record_origin *origin)
{
	*origin = (struct record_origin){ .pid = -1, .tid = -1, .cpu = -1 };
	if (record->type >= PERF_DATA_ATTR)
		return;
	if (record->type == PERF_RECORD_SAMPLE)
		parse_sample(events, record, origin);
	else
		parse_trailer(events, record, origin);
}
