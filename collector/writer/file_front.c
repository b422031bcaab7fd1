/* SPDX-License-Identifier: MIT */
#include "collector/writer/file_front.h"
#include "collector/events/event_list.h"
#include "collector/writer/feature.h"
#include "common/array.h"
#include "common/bytes.h"
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

/* Starts a record that readers skip; returns its offset. */
static size_t begin_carrier(struct byte_buffer *bytes)
{
	const struct perf_event_header header = {
		.type = PERF_DATA_FINISHED_INIT,
	};
	size_t place = bytes->size;

	byte_buffer_add(bytes, &header, sizeof(header));
	return place;
}

static int end_carrier(struct byte_buffer *bytes, size_t place)
{
	struct perf_event_header header = { .type = PERF_DATA_FINISHED_INIT };
	size_t size = bytes->size - place;

	if (bytes->failed)
		return -ERROR_MEMORY;
	if (size > UINT16_MAX)
		return -ERROR_UNSUPPORTED;
	header.size = (uint16_t)size;
	memcpy(bytes->bytes + place, &header, sizeof(header));
	return 0;
}

/* Appends the ids of spec number @spec; sets *@ids to their position. */
static int carry_ids(const struct event_list *list, size_t spec, uint64_t at,
		     struct byte_buffer *bytes, struct file_section *ids)
{
	const struct event *events = list->events.items;
	size_t place = begin_carrier(bytes);

	ids->offset = at + bytes->size;
	for (size_t i = 0; i < list->events.count; i++)
		if (events[i].spec == spec)
			byte_buffer_u64(bytes, events[i].id);
	ids->size = at + bytes->size - ids->offset;
	return end_carrier(bytes, place);
}

int file_front_attrs_again(struct file_header *header,
			   const struct event_list *list, uint64_t at,
			   struct byte_buffer *bytes)
{
	const struct event_spec *specs = list->specs.items;
	struct byte_buffer attrs = { 0 };
	struct file_section ids;
	size_t place;
	int error = 0;

	for (size_t i = 0; i < list->specs.count && !error; i++) {
		error = carry_ids(list, i, at, bytes, &ids);
		byte_buffer_add(&attrs, &specs[i].attr, specs[i].attr.size);
		byte_buffer_add(&attrs, &ids, sizeof(ids));
	}
	place = begin_carrier(bytes);
	header->attrs.offset = at + bytes->size;
	header->attrs.size = attrs.size;
	byte_buffer_add(bytes, attrs.bytes, attrs.size);
	bytes->failed |= attrs.failed;
	byte_buffer_free(&attrs);
	return error ? error : end_carrier(bytes, place);
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
