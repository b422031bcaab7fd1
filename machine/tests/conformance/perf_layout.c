/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/perf_layout.h"

#include <string.h>

struct section {
	uint64_t offset;
	uint64_t size;
};

struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct section attrs;
	struct section data;
};

bool perf_walk_start(struct perf_walk *walk, const uint8_t *file, size_t size)
{
	const struct file_header *header = (const void *)file;

	if (size < sizeof(*header) || memcmp(header->magic, "PERFILE2", 8) ||
	    header->data.offset > size || header->attrs.offset > size ||
	    header->attrs.size > size - header->attrs.offset)
		return false;
	walk->at = file + header->data.offset;
	walk->end = walk->at + header->data.size;
	walk->cut = header->data.size > size - header->data.offset;
	if (walk->cut)
		walk->end = file + size;
	return true;
}

const struct perf_event_header *perf_walk_next(struct perf_walk *walk)
{
	const struct perf_event_header *header = (const void *)walk->at;
	size_t left = walk->end - walk->at;
	uint64_t size;

	if (!left)
		return NULL;
	size = left < sizeof(*header) ? 0 : header->size;
	if (size >= sizeof(struct auxtrace_record) && size <= left &&
	    header->type == RECORD_AUXTRACE)
		size += ((const struct auxtrace_record *)header)->size;
	if (size < sizeof(*header) || size > left) {
		walk->cut = true;
		return NULL;
	}
	walk->at += size;
	return header;
}

bool perf_attr(const uint8_t *file, uint32_t index,
	       struct perf_event_attr *attr)
{
	const struct file_header *header = (const void *)file;
	size_t size = header->attr_size - sizeof(struct section);

	if (!header->attr_size ||
	    index >= header->attrs.size / header->attr_size)
		return false;
	memset(attr, 0, sizeof(*attr));
	memcpy(attr, file + header->attrs.offset + index * header->attr_size,
	       size < sizeof(*attr) ? size : sizeof(*attr));
	return true;
}

/* perf gives all events of a recording the same identifying fields. They are at
 * the end of the record, in the order TID TIME ID STREAM_ID CPU IDENTIFIER.
 */
struct sample_id perf_sample_id(const uint8_t *file,
				const struct perf_event_header *header)
{
	struct sample_id id = { 0 };
	struct perf_event_attr attr;
	const uint8_t *at = (const uint8_t *)header + header->size;

	if (!perf_attr(file, 0, &attr) || !attr.sample_id_all ||
	    header->type >= 64)
		return id;
	if (attr.sample_type & PERF_SAMPLE_IDENTIFIER)
		at -= 8;
	if (attr.sample_type & PERF_SAMPLE_CPU)
		memcpy(&id.cpu, at -= 8, sizeof(id.cpu));
	if (attr.sample_type & PERF_SAMPLE_STREAM_ID)
		at -= 8;
	if (attr.sample_type & PERF_SAMPLE_ID)
		at -= 8;
	if (attr.sample_type & PERF_SAMPLE_TIME)
		memcpy(&id.time, at -= 8, sizeof(id.time));
	return id;
}
