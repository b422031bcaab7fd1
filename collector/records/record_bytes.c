/* SPDX-License-Identifier: MIT */
#include "collector/records/record_bytes.h"

#include "collector/events/event_list.h"
#include "collector/events/event_spec.h"
#include "collector/rings/cpu_rings.h"
#include "common/bytes.h"
#include "common/formats/recording_events.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <string.h>

size_t record_begin(struct byte_buffer *bytes, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };
	size_t position = bytes->size;

	byte_buffer_add(bytes, &header, sizeof(header));
	return position;
}

void record_end(struct byte_buffer *bytes, size_t position)
{
	struct perf_event_header header;

	byte_buffer_align(bytes, 8);
	if (bytes->failed)
		return;
	assert(bytes->size - position <= UINT16_MAX);
	memcpy(&header, bytes->bytes + position, sizeof(header));
	header.size = (uint16_t)(bytes->size - position);
	memcpy(bytes->bytes + position, &header, sizeof(header));
}

void record_end_sample_id(struct byte_buffer *bytes, size_t position)
{
	byte_buffer_align(bytes, 8);
	byte_buffer_zeros(bytes, EVENT_TRAILER_SIZE);
	record_end(bytes, position);
}

void sample_record_add(struct byte_buffer *records, const struct event *event,
		       const struct sample_origin *origin,
		       const struct sample_content *content)
{
	size_t position = record_begin(records, PERF_RECORD_SAMPLE, 0);

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
	record_end(records, position);
}

/* Adds the fields that end each record that is not a sample
 * (EVENT_TRAILER_SIZE).
 */
static void add_trailer(struct byte_buffer *bytes, const struct event *event,
			uint64_t time_ns)
{
	size_t position = bytes->size;

	byte_buffer_u32(bytes, UINT32_MAX); /* pid */
	byte_buffer_u32(bytes, UINT32_MAX); /* tid */
	byte_buffer_u64(bytes, time_ns);
	byte_buffer_u32(bytes, (uint32_t)event->cpu);
	byte_buffer_u32(bytes, 0);
	byte_buffer_u64(bytes, event->id);
	assert(bytes->failed || bytes->size - position == EVENT_TRAILER_SIZE);
}

void loss_record_add(struct byte_buffer *bytes, const struct event *event,
		     uint64_t offset, uint64_t time_ns)
{
	size_t position = record_begin(bytes, PERF_RECORD_AUX, 0);

	byte_buffer_u64(bytes, offset);
	byte_buffer_u64(bytes, 0);
	byte_buffer_u64(bytes, PERF_AUX_FLAG_TRUNCATED);
	add_trailer(bytes, event, time_ns);
	record_end(bytes, position);
}

void loss_record_add_records(struct byte_buffer *bytes,
			     const struct event *event, uint64_t count,
			     uint64_t time_ns)
{
	size_t position = record_begin(bytes, PERF_RECORD_LOST, 0);

	byte_buffer_u64(bytes, event->id);
	byte_buffer_u64(bytes, count);
	add_trailer(bytes, event, time_ns);
	record_end(bytes, position);
}

static const char *event_of(const struct event_list *list, uint64_t id)
{
	const struct event *events = list->events.items;

	for (size_t i = 0; i < list->events.count; i++)
		if (events[i].id == id) {
			const struct event_spec *spec =
				array_at(&list->specs, events[i].spec);

			return spec->name;
		}
	return "";
}

static enum code_sample_kind kind_of(const char *event)
{
	if (!strcmp(event, EVENT_MODULE_LOAD))
		return CODE_SAMPLE_MODULE_LOAD;
	if (!strcmp(event, EVENT_MODULE_FREE))
		return CODE_SAMPLE_MODULE_FREE;
	if (!strcmp(event, BPF_TEXT_COPY_EVENT))
		return CODE_SAMPLE_BPF_COPY;
	if (!strcmp(event, BPF_TEXT_WIPE_EVENT))
		return CODE_SAMPLE_BPF_WIPE;
	if (!strcmp(event, BPF_TEXT_DONE_EVENT))
		return CODE_SAMPLE_BPF_DONE;
	return CODE_SAMPLE_OTHER;
}

/* Reads the name that the word at offset @field of the raw record locates:
 * __string(name) of include/trace/events/module.h. It follows the 8 bytes
 * common to all records and, in module_load, the 4 bytes of taints.
 */
static void read_module(const struct ring_bytes *records, size_t raw,
			size_t raw_size, size_t field,
			struct code_sample *sample)
{
	uint32_t location;
	size_t start;
	size_t length;

	if (field + sizeof(location) > raw_size)
		return;
	ring_copy(records, raw + field, &location, sizeof(location));
	start = location & 0xffff;
	length = location >> 16;
	if (start + length > raw_size)
		return;
	if (length > sizeof(sample->module) - 1)
		length = sizeof(sample->module) - 1;
	ring_copy(records, raw + start, sample->module, length);
}

/* Reads a tracepoint's sample: the period, the size of the raw record, the
 * record.
 */
static void read_tracepoint(const struct ring_bytes *records, size_t position,
			    size_t size, struct code_sample *sample)
{
	bool is_load = sample->kind == CODE_SAMPLE_MODULE_LOAD;
	uint32_t raw_size;

	if (size < sizeof(uint64_t) + sizeof(raw_size))
		return;
	ring_copy(records, position + sizeof(uint64_t), &raw_size,
		  sizeof(raw_size));
	position += sizeof(uint64_t) + sizeof(raw_size);
	size -= sizeof(uint64_t) + sizeof(raw_size);
	if (raw_size < size)
		size = raw_size;
	read_module(records, position, size, is_load ? 12 : 8, sample);
}

/* Reads the registers with the breakpoint function's arguments, address and
 * size, after the ABI. perf orders them by register number: on x86 the size is
 * first.
 */
static void read_breakpoint(const struct ring_bytes *records, size_t position,
			    size_t size, struct code_sample *sample)
{
	uint64_t words[3];

	if (size < sizeof(words)) {
		sample->kind = CODE_SAMPLE_OTHER;
		return;
	}
	ring_copy(records, position, words, sizeof(words));
#ifdef __x86_64__
	sample->address = words[2];
	sample->size = words[1];
#else
	sample->address = words[1];
	sample->size = words[2];
#endif
}

struct code_sample code_sample_read(const struct event_list *events,
				    const struct ring_bytes *records,
				    size_t position, size_t size)
{
	struct code_sample sample = { .kind = CODE_SAMPLE_OTHER };
	struct event_sample fields;

	if (!events || size < sizeof(fields))
		return sample;
	ring_copy(records, position, &fields, sizeof(fields));
	sample.time_ns = fields.time_ns;
	sample.tid = fields.tid;
	sample.kind = kind_of(event_of(events, fields.id));
	position += sizeof(fields);
	size -= sizeof(fields);
	switch (sample.kind) {
	case CODE_SAMPLE_MODULE_LOAD:
	case CODE_SAMPLE_MODULE_FREE:
		read_tracepoint(records, position, size, &sample);
		break;
	case CODE_SAMPLE_BPF_COPY:
	case CODE_SAMPLE_BPF_WIPE:
		read_breakpoint(records, position, size, &sample);
		break;
	case CODE_SAMPLE_BPF_DONE:
	case CODE_SAMPLE_OTHER:
		break;
	}
	return sample;
}
