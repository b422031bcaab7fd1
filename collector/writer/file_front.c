/* SPDX-License-Identifier: MIT */
#include "collector/writer/file_front.h"
#include "collector/events/event_list.h"
#include "collector/writer/feature.h"
#include "common/array.h"
#include "common/byte_buffer.h"
#include "common/error.h"

#include <assert.h>
#include <string.h>

/* Adds the ids first, then the attrs, which refer to them. */
static void add_attrs(struct file_header *header, const struct event_list *list,
		      struct byte_buffer *bytes)
{
	const struct event_spec *specs = list->specs.items;
	const struct event *events = list->events.items;
	struct file_section ids = { sizeof(struct file_header), 0 };
	struct byte_buffer attrs = { 0 };

	for (size_t i = 0; i < list->specs.count; i++) {
		for (size_t j = 0; j < list->events.count; j++)
			if (events[j].spec == i)
				byte_buffer_u64(bytes, events[j].id);
		ids.size =
			sizeof(struct file_header) + bytes->size - ids.offset;
		byte_buffer_add(&attrs, &specs[i].attr, specs[i].attr.size);
		byte_buffer_add(&attrs, &ids, sizeof(ids));
		ids.offset += ids.size;
	}
	header->attrs.offset = ids.offset;
	header->attrs.size = attrs.size;
	byte_buffer_add(bytes, attrs.bytes, attrs.size);
	bytes->failed |= attrs.failed;
	byte_buffer_free(&attrs);
}

int file_front_enter(struct file_header *header, struct array *table,
		     enum perf_data_feature bit, uint64_t offset, uint64_t size)
{
	if (array_append(table, &(struct file_section){ offset, size }) < 0)
		return -ERROR_MEMORY;
	header->features[bit / 64] |= 1ULL << bit % 64;
	return 0;
}

static int add_features(struct file_header *header, struct array *table,
			const struct feature *features, size_t count,
			struct byte_buffer *bytes)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		const struct byte_buffer *content = &features[i].content;

		assert(features[i].bit < PERF_DATA_FEATURE_AUXTRACE);
		byte_buffer_align(bytes, 8);
		error = file_front_enter(header, table, features[i].bit,
					 sizeof(*header) + bytes->size,
					 content->size);
		byte_buffer_add(bytes, content->bytes, content->size);
		bytes->failed |= content->failed;
	}
	byte_buffer_align(bytes, 8);
	return error;
}

int file_front_make(struct file_header *header, struct array *table,
		    const struct event_list *events,
		    const struct feature *features, size_t count,
		    struct byte_buffer *bytes)
{
	int error;

	memcpy(header->magic, PERF_DATA_MAGIC, sizeof(header->magic));
	header->size = sizeof(*header);
	header->attr_size = PERF_ATTR_SIZE_VER7 + sizeof(struct file_section);
	add_attrs(header, events, bytes);
	error = add_features(header, table, features, count, bytes);
	header->data.offset = sizeof(*header) + bytes->size;
	return error;
}
