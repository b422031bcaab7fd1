/* SPDX-License-Identifier: MIT */
#include "report/steps/checkpoint_index.h"

#include "common/bytes.h"
#include "common/files/cache_file.h"
#include "common/files/output_folder.h"
#include "common/files/regular_file.h"
#include "common/formats/build_id.h"
#include "decoder/recording/recording.h"
#include "symbolize/functions/function_table.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *checkpoint_index_path(const struct recording *recording, const char *name)
{
	const char *of = recording_path(recording);
	size_t room = strlen(of) + strlen(name) + sizeof("/");
	char *path = malloc(room);
	struct stat file;
	bool is_folder = stat(of, &file) == 0 && S_ISDIR(file.st_mode);

	if (path)
		snprintf(path, room, "%s%c%s", of, is_folder ? '/' : '.', name);
	return path;
}

bool checkpoint_index_key(const struct recording *recording,
			  const struct function_table *functions, uint64_t *key)
{
	const char *kcore = recording_kcore_path(recording);
	/* Other versions of this program may find other events. */
	uint64_t hash = pack_hash_number(PACK_HASH_FIRST, build_id);

	hash = pack_hash_number(hash, function_table_digest(functions));
	if (kcore && !cache_key_add_file(&hash, kcore))
		return false;
	*key = hash;
	return cache_key_add_file(key, recording_data_path(recording));
}

enum {
	HEADER_BYTES = 40,
	ENTRY_BYTES = 32,
	/* At four checkpoints per megabyte of trace: enough for a terabyte. */
	MOST_ENTRIES = 1 << 22,
};

static const char magic[8] = "ktindex4";

struct header {
	uint64_t key;
	uint64_t table; /* offset in the file */
	uint64_t count; /* number of its entries */
	uint64_t hash;	/* of its bytes */
};

struct entry {
	uint64_t time_ns;
	struct chunk chunk;
};

/* Returns @size bytes of @fd from @offset on, which the caller frees, or NULL.
 */
static uint8_t *read_part(int fd, uint64_t offset, uint64_t size)
{
	struct stat file;
	uint8_t *bytes;

	if (fstat(fd, &file) < 0 || offset > (uint64_t)file.st_size ||
	    size > (uint64_t)file.st_size - offset)
		return NULL;
	bytes = malloc(size + 1);
	if (bytes && pread(fd, bytes, size, (off_t)offset) != (ssize_t)size) {
		free(bytes);
		bytes = NULL;
	}
	return bytes;
}

static bool read_header(int fd, uint64_t key, struct header *header)
{
	uint8_t *bytes = read_part(fd, 0, HEADER_BYTES);
	struct pack pack;
	bool fits;

	if (!bytes)
		return false;
	pack = pack_to_read(bytes + sizeof(magic),
			    HEADER_BYTES - sizeof(magic));
	pack_u64(&pack, &header->key);
	pack_u64(&pack, &header->table);
	pack_u64(&pack, &header->count);
	pack_u64(&pack, &header->hash);
	fits = !memcmp(bytes, magic, sizeof(magic)) && pack_is_whole(&pack) &&
	       header->key == key && header->count <= MOST_ENTRIES;
	free(bytes);
	return fits;
}

/* Writes or reads an entry of the table. */
static void pack_entry(struct entry *entry, struct pack *pack)
{
	pack_u64(pack, &entry->time_ns);
	chunk_pack(&entry->chunk, pack);
}

/* Finds the @wanted entry, relative to @time_ns, among the @count entries in
 * @pack. Returns whether there is one.
 */
static bool choose_entry(struct pack *pack, uint64_t count,
			 enum checkpoint_wanted wanted, uint64_t time_ns,
			 struct entry *found)
{
	bool has_before = false;

	for (uint64_t i = 0; i < count; i++) {
		struct entry entry;

		pack_entry(&entry, pack);
		if (pack->failed)
			return false;
		if (entry.time_ns >= time_ns) {
			if (wanted == CHECKPOINT_FROM)
				*found = entry;
			return has_before || wanted == CHECKPOINT_FROM;
		}
		if (wanted == CHECKPOINT_BEFORE) {
			*found = entry;
			has_before = true;
		}
	}
	return has_before;
}

struct checkpoint_index {
	struct chunk_file file;
	uint64_t count;
	uint8_t *table; /* "count" entries */
};

/* Reads the table. Returns whether it is whole. */
static bool read_table(struct checkpoint_index *index, uint64_t key)
{
	struct header header;
	uint64_t size;

	if (!read_header(index->file.fd, key, &header))
		return false;
	size = header.count * ENTRY_BYTES;
	index->count = header.count;
	index->table = read_part(index->file.fd, header.table, size);
	return index->table &&
	       pack_hash(PACK_HASH_FIRST, index->table, size) == header.hash;
}

struct checkpoint_index *checkpoint_index_open(const char *path, uint64_t key)
{
	struct checkpoint_index *index = calloc(1, sizeof(*index));

	if (!index)
		return NULL;
	index->file.fd = regular_file_open_cached(path);
	if (index->file.fd >= 0 && read_table(index, key))
		return index;
	checkpoint_index_close(index);
	return NULL;
}

void checkpoint_index_close(struct checkpoint_index *index)
{
	if (!index)
		return;
	if (index->file.fd >= 0)
		close(index->file.fd);
	free(index->table);
	free(index);
}

uint8_t *checkpoint_index_find(const struct checkpoint_index *index,
			       enum checkpoint_wanted wanted, uint64_t time_ns,
			       size_t *size)
{
	struct pack pack =
		pack_to_read(index->table, index->count * ENTRY_BYTES);
	struct entry entry;

	*size = 0;
	if (!choose_entry(&pack, index->count, wanted, time_ns, &entry))
		return NULL;
	*size = entry.chunk.size;
	return chunk_file_read(&index->file, &entry.chunk);
}

struct index_writer {
	struct output_draft file;
	uint64_t key;
	struct chunk_file chunks;
	struct pack table;
	uint64_t count;
	bool failed;
};

struct index_writer *index_writer_open(const char *path, uint64_t key)
{
	struct index_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->key = key;
	writer->table = pack_to_write();
	if (!output_draft_open(&writer->file, path)) {
		index_writer_free(writer);
		return NULL;
	}
	writer->chunks = (struct chunk_file){ .fd = writer->file.fd,
					      .end = HEADER_BYTES };
	return writer;
}

static void write_part(struct index_writer *writer, uint64_t offset,
		       const void *bytes, size_t size)
{
	if (!writer->failed && pwrite(writer->file.fd, bytes, size,
				      (off_t)offset) != (ssize_t)size)
		writer->failed = true;
}

void index_writer_add(struct index_writer *writer, uint64_t time_ns,
		      const uint8_t *bytes, size_t size)
{
	struct entry entry = { .time_ns = time_ns };

	if (writer->failed || size > CHUNK_MOST ||
	    chunk_file_add(&writer->chunks, bytes, size, &entry.chunk) < 0) {
		writer->failed = true;
		return;
	}
	writer->count++;
	pack_entry(&entry, &writer->table);
}

static void write_header(struct index_writer *writer)
{
	const struct pack *table = &writer->table;
	struct header header = {
		.key = writer->key,
		.table = writer->chunks.end,
		.count = writer->count,
		.hash = pack_hash(PACK_HASH_FIRST, table->out.bytes,
				  table->out.size),
	};
	struct pack pack = pack_to_write();

	if (table->out.size)
		write_part(writer, header.table, table->out.bytes,
			   table->out.size);
	pack_u64(&pack, &header.key);
	pack_u64(&pack, &header.table);
	pack_u64(&pack, &header.count);
	pack_u64(&pack, &header.hash);
	if (pack.failed || table->failed || writer->count > MOST_ENTRIES)
		writer->failed = true;
	else
		write_part(writer, sizeof(magic), pack.out.bytes,
			   pack.out.size);
	write_part(writer, 0, magic, sizeof(magic));
	pack_free(&pack);
}

bool index_writer_finish(struct index_writer *writer)
{
	write_header(writer);
	return !writer->failed && output_draft_finish(&writer->file);
}

void index_writer_free(struct index_writer *writer)
{
	if (!writer)
		return;
	output_draft_close(&writer->file);
	pack_free(&writer->table);
	free(writer);
}

bool checkpoint_index_discard(const char *path, uint64_t key)
{
	struct index_writer *writer = index_writer_open(path, ~key);
	bool is_done = writer && index_writer_finish(writer);

	index_writer_free(writer);
	return is_done;
}
