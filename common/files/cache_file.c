/* SPDX-License-Identifier: MIT */
#include "common/files/cache_file.h"

#include "common/bytes.h"
#include "common/error.h"
#include "common/files/file_io.h"
#include "common/files/output_folder.h"
#include "common/files/regular_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* Number of bytes hashed at the start and end of a file. */
enum { LOOKED_AT = 1 << 16 };

static bool hash_part(int fd, off_t offset, uint64_t *key)
{
	uint8_t *bytes = malloc(LOOKED_AT);
	ssize_t size = bytes ? pread(fd, bytes, LOOKED_AT, offset) : -1;

	if (size >= 0)
		*key = pack_hash(*key, bytes, (size_t)size);
	free(bytes);
	return size >= 0;
}

bool cache_key_add_file(uint64_t *key, const char *path)
{
	int fd = regular_file_open(path);
	struct stat file;
	bool is_read = fd >= 0 && fstat(fd, &file) == 0;

	if (is_read) {
		*key = pack_hash_number(*key, (uint64_t)file.st_size);
		*key = pack_hash_number(*key, (uint64_t)file.st_mtim.tv_sec);
		*key = pack_hash_number(*key, (uint64_t)file.st_mtim.tv_nsec);
		is_read = hash_part(fd, 0, key) &&
			  (file.st_size <= LOOKED_AT ||
			   hash_part(fd, file.st_size - LOOKED_AT, key));
	}
	if (fd >= 0)
		close(fd);
	return is_read;
}

/* The header of a file of cached records. */
struct cached_head {
	uint64_t key;	     /* hash of the inputs of the records */
	struct chunk chunks; /* position of the list of struct cached_chunk */
};

enum { KEPT_HEAD_BYTES = 40 };

enum { FAST = 1 };

static int write_all(struct chunk_file *file, const void *bytes, size_t size)
{
	int error = write_at(file->fd, bytes, size, file->end);

	if (error) {
		file->cause = file->cause ? file->cause : errno;
		return error;
	}
	file->end += size;
	return 0;
}

int chunk_file_add(struct chunk_file *file, const void *bytes, size_t size,
		   struct chunk *chunk)
{
	size_t room = ZSTD_compressBound(size);
	void *stored = malloc(room);
	size_t stored_size;
	int status;

	if (!stored)
		return -ERROR_MEMORY;
	stored_size = ZSTD_compress(stored, room, bytes, size, FAST);
	if (ZSTD_isError(stored_size)) {
		free(stored);
		return -ERROR_MEMORY;
	}
	*chunk = (struct chunk){
		.offset = file->end,
		.hash = pack_hash(PACK_HASH_FIRST, stored, stored_size),
		.stored = (uint32_t)stored_size,
		.size = (uint32_t)size,
	};
	status = write_all(file, stored, stored_size);
	free(stored);
	return status;
}

static void *expand(const struct chunk *chunk, const void *stored)
{
	void *bytes = malloc(chunk->size + 1);

	if (bytes && ZSTD_decompress(bytes, chunk->size, stored,
				     chunk->stored) != chunk->size) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

void *chunk_file_read(const struct chunk_file *file, const struct chunk *chunk)
{
	void *stored = NULL;
	void *bytes = NULL;

	if (chunk->size <= CHUNK_MOST &&
	    chunk->stored <= ZSTD_compressBound(CHUNK_MOST))
		stored = malloc(chunk->stored + 1);
	if (stored &&
	    pread(file->fd, stored, chunk->stored, (off_t)chunk->offset) ==
		    (ssize_t)chunk->stored &&
	    pack_hash(PACK_HASH_FIRST, stored, chunk->stored) == chunk->hash)
		bytes = expand(chunk, stored);
	free(stored);
	return bytes;
}

void chunk_pack(struct chunk *chunk, struct pack *pack)
{
	pack_u64(pack, &chunk->offset);
	pack_u64(pack, &chunk->hash);
	pack_u32(pack, &chunk->stored);
	pack_u32(pack, &chunk->size);
}

static void widen(uint64_t *first, uint64_t *last, uint64_t since_ns,
		  uint64_t until_ns)
{
	if (*first > since_ns)
		*first = since_ns;
	if (*last < until_ns)
		*last = until_ns;
}

/* Adds a record with the span @span to the statistics of @chunk. */
static void cached_chunk_count(struct cached_chunk *chunk,
			       const struct cached_span *span)
{
	widen(&chunk->span.first_begin_ns, &chunk->span.last_begin_ns,
	      span->first_begin_ns, span->last_begin_ns);
	widen(&chunk->span.first_end_ns, &chunk->span.last_end_ns,
	      span->first_end_ns, span->last_end_ns);
	chunk->records++;
}

/* Returns whether the chunk may have a record whose start and end times are in
 * the ranges of @wanted.
 */
static bool cached_chunk_is_wanted(const struct cached_chunk *chunk,
				   const struct cached_span *wanted)
{
	const struct cached_span *span = &chunk->span;

	return span->last_begin_ns >= wanted->first_begin_ns &&
	       span->first_begin_ns <= wanted->last_begin_ns &&
	       span->last_end_ns >= wanted->first_end_ns &&
	       span->first_end_ns <= wanted->last_end_ns;
}

/* Serializes @chunk: writes it to @pack, or sets it from @pack. Fails if it has
 * more than CACHE_CHUNK_RECORDS records.
 */
static void cached_chunk_pack(struct cached_chunk *chunk, struct pack *pack)
{
	pack_u64(pack, &chunk->span.first_begin_ns);
	pack_u64(pack, &chunk->span.last_begin_ns);
	pack_u64(pack, &chunk->span.first_end_ns);
	pack_u64(pack, &chunk->span.last_end_ns);
	pack_u32(pack, &chunk->records);
	chunk_pack(&chunk->chunk, pack);
	pack_check(pack, chunk->records <= CACHE_CHUNK_RECORDS);
}

static const char magic[8] = "ktrows01";

static void pack_head(struct cached_head *head, struct pack *pack)
{
	pack_u64(pack, &head->key);
	chunk_pack(&head->chunks, pack);
}

/* Writes the header. Returns whether that succeeded. */
static bool cached_head_write(const struct cached_head *head, int fd)
{
	struct cached_head written = *head;
	struct pack pack = pack_to_write();
	bool is_written = false;

	byte_buffer_add(&pack.out, magic, sizeof(magic));
	pack_head(&written, &pack);
	if (!pack.failed && !pack.out.failed)
		is_written = pwrite(fd, pack.out.bytes, pack.out.size, 0) ==
			     KEPT_HEAD_BYTES;
	pack_free(&pack);
	return is_written;
}

/* Reads the header. Returns whether it is valid and has @key. */
static bool cached_head_read(struct cached_head *head, int fd, uint64_t key)
{
	uint8_t bytes[KEPT_HEAD_BYTES];
	struct pack pack;

	if (pread(fd, bytes, sizeof(bytes), 0) != KEPT_HEAD_BYTES ||
	    memcmp(bytes, magic, sizeof(magic)))
		return false;
	pack = pack_to_read(bytes + sizeof(magic),
			    sizeof(bytes) - sizeof(magic));
	pack_head(head, &pack);
	return pack_is_whole(&pack) && head->key == key;
}

struct cache_file_writer {
	struct output_draft file;
	struct chunk_file chunks;
	uint64_t key;
	struct cached_chunk chunk; /* the chunk being filled */
	struct pack records;	   /* of @chunk */
	struct pack list; /* struct cached_chunk of all earlier chunks */
	/* @chunk has the data of cache_file_writer_rest() */
	bool has_rest;
	bool failed;
};

struct cache_file_writer *cache_file_writer_open(const char *path, uint64_t key)
{
	struct cache_file_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	if (!output_draft_open(&writer->file, path)) {
		output_draft_close(&writer->file);
		free(writer);
		return NULL;
	}
	writer->chunks = (struct chunk_file){ .fd = writer->file.fd,
					      .end = KEPT_HEAD_BYTES };
	writer->key = key;
	writer->chunk = CACHE_CHUNK_EMPTY;
	writer->records = pack_to_write();
	writer->list = pack_to_write();
	return writer;
}

static void end_chunk(struct cache_file_writer *writer)
{
	struct pack *records = &writer->records;

	if (records->failed || records->out.size > CHUNK_MOST ||
	    chunk_file_add(&writer->chunks, records->out.bytes,
			   records->out.size, &writer->chunk.chunk) < 0)
		writer->failed = true;
	cached_chunk_pack(&writer->chunk, &writer->list);
	writer->chunk = CACHE_CHUNK_EMPTY;
	records->out.size = 0;
}

struct pack *cache_file_writer_pack(struct cache_file_writer *writer)
{
	return &writer->records;
}

void cache_file_writer_add(struct cache_file_writer *writer,
			   const struct cached_span *span)
{
	cached_chunk_count(&writer->chunk, span);
	if (writer->chunk.records == CACHE_CHUNK_RECORDS)
		end_chunk(writer);
}

struct pack *cache_file_writer_rest(struct cache_file_writer *writer)
{
	if (writer->chunk.records)
		end_chunk(writer);
	writer->chunk.span = CACHED_SPAN_ALL;
	writer->has_rest = true;
	return &writer->records;
}

static bool write_list(struct cache_file_writer *writer)
{
	struct cached_head head = { .key = writer->key };
	const struct byte_buffer *list = &writer->list.out;

	return !writer->list.failed && list->size <= CHUNK_MOST &&
	       chunk_file_add(&writer->chunks, list->bytes, list->size,
			      &head.chunks) == 0 &&
	       cached_head_write(&head, writer->file.fd);
}

void cache_file_writer_finish(struct cache_file_writer *writer)
{
	if (writer->chunk.records || writer->has_rest)
		end_chunk(writer);
	if (!writer->failed && write_list(writer))
		output_draft_finish(&writer->file);
}

void cache_file_writer_close(struct cache_file_writer *writer)
{
	if (!writer)
		return;
	output_draft_close(&writer->file);
	pack_free(&writer->records);
	pack_free(&writer->list);
	free(writer);
}

/* Reads the list of chunks, and appends those to @chunks that may have wanted
 * records.
 */
static bool read_list(struct array *chunks, const struct cached_span *wanted,
		      struct pack *pack)
{
	while (!pack->failed && byte_reader_left(&pack->reader)) {
		struct cached_chunk chunk;

		cached_chunk_pack(&chunk, pack);
		if (pack->failed || !cached_chunk_is_wanted(&chunk, wanted))
			continue;
		if (array_append(chunks, &chunk) < 0)
			return false;
	}
	return pack_is_whole(pack);
}

bool cache_file_open(struct cache_file *kept, const char *path, uint64_t key,
		     const struct cached_span *wanted)
{
	struct cached_head head;
	struct pack pack;
	void *bytes;
	bool is_whole;

	*kept = CACHE_FILE_NONE;
	kept->file.fd = regular_file_open_cached(path);
	if (kept->file.fd < 0 || !cached_head_read(&head, kept->file.fd, key))
		return false;
	bytes = chunk_file_read(&kept->file, &head.chunks);
	if (!bytes)
		return false;
	pack = pack_to_read(bytes, head.chunks.size);
	is_whole = read_list(&kept->chunks, wanted, &pack);
	free(bytes);
	return is_whole;
}

void cache_file_close(struct cache_file *kept)
{
	if (kept->file.fd >= 0)
		close(kept->file.fd);
	array_free(&kept->chunks);
}

void *cache_file_read(const struct cache_file *kept, size_t index, size_t *size)
{
	const struct cached_chunk *chunk = array_at(&kept->chunks, index);

	*size = chunk->chunk.size;
	return chunk_file_read(&kept->file, &chunk->chunk);
}
