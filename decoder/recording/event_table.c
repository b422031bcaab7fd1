/* SPDX-License-Identifier: MIT */
#include "decoder/recording/event_table.h"
#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/perf_data.h"
#include "decoder/recording/record_walk.h"

#include <stdlib.h>
#include <string.h>

/* Bits of perf_event_attr's flags word (include/uapi/linux/perf_event.h). */
enum {
	ATTR_EXCLUDE_USER = 1 << 4,
	ATTR_EXCLUDE_KERNEL = 1 << 5,
	ATTR_SAMPLE_ID_ALL = 1 << 18,
	ATTR_CONTEXT_SWITCH = 1 << 26,
	/* The first published size of struct perf_event_attr. */
	ATTR_SIZE_MIN = 64,
};

struct event_table event_table_new(struct arena *arena)
{
	return (struct event_table){
		.events = ARRAY_OF(struct recording_event),
		.ids = ARRAY_OF(struct event_id),
		.arena = arena,
	};
}

void event_table_free(struct event_table *table)
{
	array_free(&table->events);
	array_free(&table->ids);
}

static int add_event(struct event_table *table, const uint8_t *bytes,
		     size_t size)
{
	struct byte_reader reader = byte_reader_of(bytes, size);
	struct recording_event *event = array_add(&table->events);

	if (!event)
		return -ERROR_MEMORY;
	event->name = "";
	event->type = byte_reader_u32(&reader);
	byte_reader_u32(&reader);
	event->config = byte_reader_u64(&reader);
	byte_reader_u64(&reader);
	event->sample_type = byte_reader_u64(&reader);
	event->read_format = byte_reader_u64(&reader);

	uint64_t flags = byte_reader_u64(&reader);

	byte_reader_u64(&reader);
	event->config1 = byte_reader_u64(&reader);
	if (byte_reader_left(&reader))
		event->config2 = byte_reader_u64(&reader);
	if (byte_reader_left(&reader))
		event->branch_sample_type = byte_reader_u64(&reader);
	if (byte_reader_left(&reader))
		event->user_registers = byte_reader_u64(&reader);
	/* The stack size and the clock are not needed. */
	if (byte_reader_left(&reader) && byte_reader_bytes(&reader, 8) &&
	    byte_reader_left(&reader))
		event->registers = byte_reader_u64(&reader);
	event->sample_id_all = flags & ATTR_SAMPLE_ID_ALL;
	event->exclude_user = flags & ATTR_EXCLUDE_USER;
	event->exclude_kernel = flags & ATTR_EXCLUDE_KERNEL;
	event->has_switches = flags & ATTR_CONTEXT_SWITCH;
	return 0;
}

static int add_ids(struct event_table *table, const uint8_t *bytes, size_t size)
{
	struct byte_reader reader = byte_reader_of(bytes, size);

	while (byte_reader_left(&reader) >= 8 &&
	       table->ids.count < BUDGET_EVENT_IDS) {
		struct event_id *id = array_add(&table->ids);

		if (!id)
			return -ERROR_MEMORY;
		id->id = byte_reader_u64(&reader);
		id->event = (uint32_t)table->events.count - 1;
		id->cpu = -1;
		id->tid = -1;
	}
	return 0;
}

static int refuse(const struct data_file *file)
{
	log_message(file->log, LOG_ERROR, file->path, file->attr_offset,
		    "the event attributes are malformed or missing");
	return -ERROR_FORMAT;
}

int event_table_read_header(struct event_table *table,
			    const struct data_file *file)
{
	uint64_t entry_size = file->attr_entry_size;

	if (file->is_pipe)
		return 0;
	if (entry_size < ATTR_SIZE_MIN + 16 || entry_size > 4096 ||
	    file->attr_offset > file->map.size ||
	    file->attr_size > file->map.size - file->attr_offset ||
	    file->attr_size < entry_size)
		return refuse(file);

	uint64_t count = file->attr_size / entry_size;
	const uint8_t *entry = file->map.bytes + file->attr_offset;
	int error = 0;

	for (; !error && count--; entry += entry_size) {
		struct byte_reader reader =
			byte_reader_of(entry + entry_size - 16, 16);
		uint64_t offset = byte_reader_u64(&reader);
		uint64_t size = byte_reader_u64(&reader);

		if (offset > file->map.size || size > file->map.size - offset)
			return refuse(file);
		error = add_event(table, entry, entry_size - 16);
		if (!error)
			error = add_ids(table, file->map.bytes + offset, size);
	}
	return error;
}

int event_table_add_attr(struct event_table *table, const struct record *record)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);

	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE + 4);

	uint32_t size = byte_reader_u32(&reader);

	reader.position = PERF_DATA_RECORD_HEADER_SIZE;
	if (size < ATTR_SIZE_MIN)
		size = ATTR_SIZE_MIN;

	const uint8_t *attr = byte_reader_bytes(&reader, size);

	if (!attr)
		return 0;

	int error = add_event(table, attr, size);

	if (error)
		return error;
	return add_ids(table, record->bytes + reader.position,
		       byte_reader_left(&reader));
}

/* ID_INDEX comes after all attributes; IDs that it does not contain are
 * unchanged. A later entry for an ID replaces the earlier one.
 */
int event_table_add_index(struct event_table *table,
			  const struct record *record)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);

	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE);

	uint64_t count = byte_reader_u64(&reader);

	while (count-- && byte_reader_left(&reader) >= 32) {
		uint64_t key = byte_reader_u64(&reader);
		uint64_t index = byte_reader_u64(&reader);
		uint64_t cpu = byte_reader_u64(&reader);
		uint64_t tid = byte_reader_u64(&reader);
		struct event_id *id =
			(struct event_id *)(uintptr_t)event_table_find(table,
								       key);

		if (!id)
			continue;
		id->aux_index = (uint32_t)index;
		id->cpu = cpu < BUDGET_CPUS ? (int32_t)cpu : -1;
		id->tid = (int32_t)(uint32_t)tid;
		id->has_index = true;
	}
	return 0;
}

/* Feature EVENT_DESC: the same events in the same order, with names. */
int event_table_add_names(struct event_table *table, const uint8_t *bytes,
			  size_t size)
{
	struct byte_reader reader = byte_reader_of(bytes, size);
	uint32_t count = byte_reader_u32(&reader);
	uint32_t attr_size = byte_reader_u32(&reader);

	for (size_t i = 0; i < count && i < table->events.count; i++) {
		byte_reader_bytes(&reader, attr_size);

		uint32_t ids = byte_reader_u32(&reader);
		uint32_t length = byte_reader_u32(&reader);
		const char *text =
			(const char *)byte_reader_bytes(&reader, length);

		byte_reader_bytes(&reader, (size_t)ids * 8);
		if (reader.failed)
			break;

		struct recording_event *event = array_at(&table->events, i);

		event->name =
			arena_text(table->arena, text, strnlen(text, length));
		if (!event->name)
			return -ERROR_MEMORY;
	}
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct event_id *left = a;
	const struct event_id *right = b;

	return (left->id > right->id) - (left->id < right->id);
}

void event_table_finish(struct event_table *table)
{
	array_sort(&table->ids, compare_ids);
}

const struct event_id *event_table_find(const struct event_table *table,
					uint64_t id)
{
	const struct event_id key = { .id = id };

	if (!table->ids.count)
		return NULL;
	return bsearch(&key, table->ids.items, table->ids.count, sizeof(key),
		       compare_ids);
}

const struct recording_event *event_table_event(const struct event_table *table,
						uint64_t id)
{
	const struct event_id *found = event_table_find(table, id);

	return found ? array_at(&table->events, found->event) : NULL;
}
