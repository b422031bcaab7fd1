/* SPDX-License-Identifier: MIT */
#include "attribution/table_records.h"

#include "common/bytes.h"
#include "report/steps/checkpoint_index.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct event_handler *table_records_owner(const struct table_records *records,
					  struct trackers *trackers,
					  struct event_handler *table,
					  struct owner_place place)
{
	void *owner = (char *)table + place.offset;

	if (records->tracker)
		return records->tracker(trackers);
	if (place.is_pointer)
		memcpy(&owner, owner, sizeof(owner));
	return owner;
}

static char *path_of(const struct table_records *records,
		     const struct recording *recording)
{
	char name[64];

	snprintf(name, sizeof(name), "report_%s", records->name);
	return checkpoint_index_path(recording, name);
}

bool table_records_open(const struct table_records *records,
			const struct recording *recording, uint64_t key,
			const struct cached_span *wanted,
			struct cache_file *file)
{
	char *path = path_of(records, recording);
	bool is_open;

	*file = CACHE_FILE_NONE;
	is_open = path && cache_file_open(file, path, key, wanted);
	free(path);
	return is_open;
}

/* The last chunk holds the data that all others refer to, so it is read first.
 */
bool table_records_read(const struct table_records *records,
			struct event_handler *owner,
			const struct cache_file *file, size_t index)
{
	const size_t place = (index ? index : file->chunks.count) - 1;
	const struct cached_chunk *chunk = array_at(&file->chunks, place);
	size_t size;
	void *bytes = cache_file_read(file, place, &size);
	struct pack pack = pack_to_read(bytes, bytes ? size : 0);

	pack_check(&pack, bytes);
	if (!chunk->records)
		records->pack_rest(owner, &pack);
	for (uint32_t i = 0; i < chunk->records && !pack.failed; i++)
		records->consume(owner, &pack);
	free(bytes);
	return pack_is_whole(&pack);
}

void written_records_add(struct written_records *written,
			 const struct table_records *records,
			 struct event_handler *owner,
			 const struct recording *recording, uint64_t key)
{
	struct cache_file_writer *writer = NULL;
	char *path;

	for (size_t i = 0; i < written->count; i++)
		if (!strcmp(written->files[i].records->name, records->name))
			return;
	assert(written->count < MOST_WRITTEN);
	path = path_of(records, recording);
	if (path)
		writer = cache_file_writer_open(path, key);
	free(path);
	if (!writer)
		return;
	if (records->keep)
		records->keep(owner, writer);
	else
		memcpy((char *)owner + records->writer, &writer,
		       sizeof(writer));
	written->files[written->count++] =
		(struct written_file){ records, owner, writer };
}

void written_records_finish(struct written_records *written)
{
	for (size_t i = 0; i < written->count; i++) {
		const struct written_file *file = &written->files[i];

		if (file->records->keep_at_end)
			file->records->keep_at_end(file->owner);
		file->records->pack_rest(file->owner,
					 cache_file_writer_rest(file->writer));
		cache_file_writer_finish(file->writer);
	}
}

void written_records_close(struct written_records *written)
{
	for (size_t i = 0; i < written->count; i++)
		cache_file_writer_close(written->files[i].writer);
}

struct cached_span table_records_begin_in(struct time_window window)
{
	struct cached_span wanted = CACHED_SPAN_ALL;

	wanted.first_begin_ns = window.since_ns;
	wanted.last_begin_ns = window.until_ns;
	return wanted;
}

struct cached_span table_records_overlap(struct time_window window)
{
	struct cached_span wanted = CACHED_SPAN_ALL;

	wanted.last_begin_ns = window.until_ns;
	wanted.first_end_ns = window.since_ns;
	return wanted;
}

void table_records_refer_to_nothing(struct event_handler *handler,
				    struct pack *pack)
{
	(void)handler;
	(void)pack;
}

void table_records_pack_text(struct pack *pack, char **text)
{
	if (!pack->is_reading) {
		byte_buffer_add(&pack->out, *text, strlen(*text) + 1);
		return;
	}
	*text = strdup(byte_reader_text(&pack->reader));
	pack_check(pack, *text && !pack->reader.failed);
	if (!pack->failed)
		return;
	free(*text);
	*text = NULL;
}

/* Writes only the classes that have time: two in most records. */
void table_records_pack_classes(struct pack *pack,
				uint64_t class_ns[TIME_CLASSES])
{
	uint32_t used = 0;

	for (int i = 0; i < TIME_CLASSES; i++)
		used |= (uint32_t)(class_ns[i] != 0) << i;
	pack_u32(pack, &used);
	for (int i = 0; i < TIME_CLASSES; i++)
		if (used >> i & 1)
			pack_u64(pack, &class_ns[i]);
}
