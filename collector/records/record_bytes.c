/* SPDX-License-Identifier: MIT */
#include "collector/records/record_bytes.h"
#include "collector/events/event_spec.h"

#include <assert.h>
#include <string.h>

size_t record_begin(struct byte_buffer *bytes, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };
	size_t place = bytes->size;

	byte_buffer_add(bytes, &header, sizeof(header));
	return place;
}

void record_end(struct byte_buffer *bytes, size_t place)
{
	struct perf_event_header header;

	byte_buffer_align(bytes, 8);
	if (bytes->failed)
		return;
	assert(bytes->size - place <= UINT16_MAX);
	memcpy(&header, bytes->bytes + place, sizeof(header));
	header.size = (uint16_t)(bytes->size - place);
	memcpy(bytes->bytes + place, &header, sizeof(header));
}

void record_end_sample_id(struct byte_buffer *bytes, size_t place)
{
	byte_buffer_align(bytes, 8);
	byte_buffer_zeros(bytes, EVENT_TRAILER_SIZE);
	record_end(bytes, place);
}
