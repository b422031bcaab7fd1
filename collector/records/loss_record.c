/* SPDX-License-Identifier: MIT */
#include "collector/records/loss_record.h"
#include "collector/events/event_list.h"
#include "collector/records/record_bytes.h"
#include "common/bytes.h"

#include <assert.h>
#include <linux/perf_event.h>

/* Adds the fields of EVENT_SAMPLE_TYPE. */
static void add_trailer(struct byte_buffer *bytes, const struct event *event,
			uint64_t time_ns)
{
	size_t place = bytes->size;

	byte_buffer_u32(bytes, UINT32_MAX); /* pid */
	byte_buffer_u32(bytes, UINT32_MAX); /* tid */
	byte_buffer_u64(bytes, time_ns);
	byte_buffer_u32(bytes, (uint32_t)event->cpu);
	byte_buffer_u32(bytes, 0);
	byte_buffer_u64(bytes, event->id);
	assert(bytes->failed || bytes->size - place == EVENT_TRAILER_SIZE);
}

void loss_record_add(struct byte_buffer *bytes, const struct event *event,
		     uint64_t offset, uint64_t time_ns)
{
	size_t place = record_begin(bytes, PERF_RECORD_AUX, 0);

	byte_buffer_u64(bytes, offset);
	byte_buffer_u64(bytes, 0);
	byte_buffer_u64(bytes, PERF_AUX_FLAG_TRUNCATED);
	add_trailer(bytes, event, time_ns);
	record_end(bytes, place);
}

void loss_record_add_records(struct byte_buffer *bytes,
			     const struct event *event, uint64_t count,
			     uint64_t time_ns)
{
	size_t place = record_begin(bytes, PERF_RECORD_LOST, 0);

	byte_buffer_u64(bytes, event->id);
	byte_buffer_u64(bytes, count);
	add_trailer(bytes, event, time_ns);
	record_end(bytes, place);
}
