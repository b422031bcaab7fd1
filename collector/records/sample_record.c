/* SPDX-License-Identifier: MIT */
#include "collector/records/sample_record.h"
#include "collector/events/event_list.h"
#include "collector/records/record_bytes.h"

#include <assert.h>
#include <linux/perf_event.h>

void sample_record_add(struct byte_buffer *records, const struct event *event,
		       const struct sample_origin *origin,
		       const struct sample_content *content)
{
	size_t place = record_begin(records, PERF_RECORD_SAMPLE, 0);

	assert(content->size % sizeof(uint64_t) == 0);
	byte_buffer_u64(records, event->id);
	byte_buffer_u64(records, 0);
	byte_buffer_u32(records, origin->pid);
	byte_buffer_u32(records, origin->tid);
	byte_buffer_u64(records, origin->time_ns);
	byte_buffer_u32(records, (uint32_t)origin->cpu);
	byte_buffer_u32(records, 0);
	if (content->has_chain)
		byte_buffer_u64(records, 0);
	/* The kernel pads the record in the same way. */
	byte_buffer_u32(records, (uint32_t)content->size + sizeof(uint32_t));
	byte_buffer_add(records, content->bytes, content->size);
	byte_buffer_u32(records, 0);
	record_end(records, place);
}
