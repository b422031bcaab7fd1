/* SPDX-License-Identifier: MIT */
#include "decoder/recording/record_walk.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "common/perf_data.h"
#include "decoder/recording/data_file.h"
#include "decoder/recording/record_frame.h"
#include "decoder/recording/record_unpack.h"

#include <stdlib.h>

/* Bytes are given back to the system in steps of this size. */
#define RELEASE_STEP ((uint64_t)4 << 20)

/* A range of complete records, in the file or in the unpacked bytes. */
struct record_span {
	bool is_unpacked;
	uint64_t offset;
	uint64_t size;
	uint64_t file_offset; /* of the container, if unpacked */
};

static int add_span(struct record_store *store, struct record_span span)
{
	if (!span.size)
		return 0;

	return array_append(&store->spans, &span);
}

static void stop_at(struct record_store *store, uint64_t offset,
		    const char *reason)
{
	if (store->stop_reason)
		return;
	store->stop_offset = offset;
	store->stop_reason = reason;
	log_message(store->file->log, LOG_WARNING, store->file->path, offset,
		    "%s; what follows is not used", reason);
}

/* Unpacks one container; the records that it completes become a span. */
static int add_container(struct record_store *store,
			 struct record_unpack *unpack,
			 const struct record *record)
{
	struct record_span span = {
		.is_unpacked = true,
		.file_offset = record->file_offset,
	};
	const char *reason =
		record_unpack_add(unpack, record, &span.offset, &span.size);

	if (reason)
		stop_at(store, record->file_offset, reason);
	return add_span(store, span);
}

static bool is_container(const struct record *record)
{
	return record->type == PERF_DATA_COMPRESSED ||
	       record->type == PERF_DATA_COMPRESSED2;
}

static int find_spans(struct record_store *store, struct record_unpack *unpack)
{
	const struct data_file *file = store->file;
	const uint8_t *bytes = file->map.bytes + file->data_offset;
	struct record_span plain = { .offset = file->data_offset };
	uint64_t at = 0;

	while (at < file->data_size && !store->stop_reason) {
		struct record record;
		uint64_t length;
		const char *reason = record_frame_read(
			bytes + at, file->data_size - at, &record, &length);

		record.file_offset = file->data_offset + at;
		if (reason) {
			stop_at(store, record.file_offset, reason);
			break;
		}
		at += length;
		if (!is_container(&record)) {
			plain.size += length;
			continue;
		}
		if (add_span(store, plain) < 0 ||
		    add_container(store, unpack, &record) < 0)
			return -ERROR_MEMORY;
		plain = (struct record_span){ .offset =
						      file->data_offset + at };
	}
	return add_span(store, plain);
}

int record_store_open(struct record_store *store, const struct data_file *file)
{
	*store = (struct record_store){
		.file = file,
		.spans = ARRAY_OF(struct record_span),
	};

	struct record_unpack *unpack = record_unpack_new(file->log);

	if (!unpack)
		return -ERROR_MEMORY;

	int error = find_spans(store, unpack);

	if (!error)
		error = record_unpack_finish(unpack, &store->unpacked);
	record_unpack_free(unpack);
	return error;
}

void record_store_close(struct record_store *store)
{
	array_free(&store->spans);
	file_map_close(&store->unpacked);
}

struct record_walk record_walk_of(const struct record_store *store)
{
	return (struct record_walk){ .store = store };
}

static const uint8_t *bytes_of(const struct record_store *store,
			       const struct record_span *span)
{
	return span->is_unpacked ? store->unpacked.bytes :
				   store->file->map.bytes;
}

int record_walk_next(struct record_walk *walk, struct record *record)
{
	const struct record_store *store = walk->store;

	while (walk->span < store->spans.count) {
		const struct record_span *span =
			array_at(&store->spans, walk->span);
		const uint8_t *bytes = bytes_of(store, span);
		uint64_t at = span->offset + walk->offset;
		uint64_t length;

		if (walk->offset >= span->size ||
		    record_frame_read(bytes + at, span->size - walk->offset,
				      record, &length)) {
			walk->span++;
			walk->offset = 0;
			continue;
		}
		record->file_offset = span->is_unpacked ? span->file_offset :
							  at;
		walk->offset += length;
		return 1;
	}
	return 0;
}

void record_walk_release(struct record_walk *walk,
			 const struct record_walk *place)
{
	const struct record_store *store = walk->store;
	const struct record_span *span;
	const uint8_t *bytes;
	uint64_t *released;
	uint64_t end;

	if (place->span >= store->spans.count)
		return;
	span = array_at(&store->spans, place->span);
	released = &walk->released[span->is_unpacked];
	end = span->offset + place->offset;
	if (end < *released + RELEASE_STEP)
		return;
	bytes = bytes_of(store, span);
	*released = pages_release(bytes, *released, end);
}

void record_store_release(const struct record_store *store,
			  const uint8_t *bytes, uint64_t *released)
{
	const struct file_map *map = &store->file->map;
	uint64_t at = (uint64_t)((uintptr_t)bytes - (uintptr_t)map->bytes);

	if (at < map->size && at >= *released + RELEASE_STEP)
		*released = pages_release(map->bytes, *released, at);
}
