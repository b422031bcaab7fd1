/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FILES_CACHE_FILE_H
#define KT_COMMON_FILES_CACHE_FILE_H

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pack;

/* Records cached in a file beside a recording, found by time.
 *
 * A chunk is a compressed range of bytes with a hash; struct chunk_file adds
 * and reads chunks. A cache file (docs/formats.md, "report_TABLE") is a header,
 * chunks of up to CACHE_CHUNK_RECORDS records, and the list of these chunks
 * with the span of their times, so that a window reads only the chunks that may
 * have records in it.
 *
 * Invariants:
 *  1. The header has a key: a hash of all inputs of the records. A file with
 *     another key counts as missing.
 *  2. A file appears under its name only when it is complete.
 *  3. The content is untrusted: a chunk whose hash differs is refused, and the
 *     reader of the records validates them.
 */

/* Mixes the size and modification time of the file at @path, and its first and
 * last 64 KB, into the hash *@key. Used for the key of data that is derived
 * from the file.
 *
 * Returns whether the file could be read.
 */
bool cache_key_add_file(uint64_t *key, const char *path);

/* The position of a chunk of bytes in a file. */
struct chunk {
	uint64_t offset;
	uint64_t hash;	 /* of the stored bytes */
	uint32_t stored; /* size in the file: compressed (zstd) */
	uint32_t size;	 /* size when decompressed */
};

/* A file of chunks. Chunks are appended; existing ones may be read at the same
 * time.
 */
struct chunk_file {
	int fd;	      /* borrowed */
	uint64_t end; /* offset of the next chunk to be added */
	int cause;    /* errno of the first write that failed; or 0 */
};

enum { CHUNK_MOST = 1 << 26 };

/* Adds @size bytes, at most CHUNK_MOST.
 *
 * Returns 0 and sets *@chunk, -ERROR_MEMORY, or -ERROR_SYSTEM.
 */
int chunk_file_add(struct chunk_file *file, const void *bytes, size_t size,
		   struct chunk *chunk);

/* Returns the bytes of @chunk, chunk->size of them; the caller frees them.
 * Returns NULL if they are damaged, or when out of memory.
 */
void *chunk_file_read(const struct chunk_file *file, const struct chunk *chunk);

/* Serializes @chunk: writes it to @pack, or sets it from @pack. */
void chunk_pack(struct chunk *chunk, struct pack *pack);

/* The ranges of start times and of end times of some records, inclusive. */
struct cached_span {
	uint64_t first_begin_ns;
	uint64_t last_begin_ns;
	uint64_t first_end_ns;
	uint64_t last_end_ns;
};

/* Returns the span of one record. */
static inline struct cached_span cached_span_of(uint64_t begin_ns,
						uint64_t end_ns)
{
	return (struct cached_span){ begin_ns, begin_ns, end_ns, end_ns };
}

#define CACHED_SPAN_ALL ((struct cached_span){ 0, UINT64_MAX, 0, UINT64_MAX })

/* A chunk of cached records, one after the other, with the span of their times.
 */
struct cached_chunk {
	struct cached_span span; /* of records without times: CACHED_SPAN_ALL */
	uint32_t records;
	struct chunk chunk;
};

/* A chunk without records. */
#define CACHE_CHUNK_EMPTY \
	((struct cached_chunk){ \
		.span = { .first_begin_ns = UINT64_MAX, \
			  .first_end_ns = UINT64_MAX }, \
	})

enum { CACHE_CHUNK_RECORDS = 1024 };

/* An open cache file, with those of its chunks that may have wanted records. */
struct cache_file {
	struct chunk_file file;
	struct array chunks; /* struct cached_chunk, in file order */
};

#define CACHE_FILE_NONE \
	((struct cache_file){ .file.fd = -1, \
			      .chunks = ARRAY_OF(struct cached_chunk) })

/* Opens the cached file at @path and lists its chunks that may have records in
 * @wanted. @key is a hash of everything on which its records depend.
 *
 * Returns whether the file exists, has this key and is whole. The caller must
 * close it either way.
 */
bool cache_file_open(struct cache_file *kept, const char *path, uint64_t key,
		     const struct cached_span *wanted);

void cache_file_close(struct cache_file *kept);

/* Returns the records of chunk @index, which are untrusted data of *@size
 * bytes; the caller frees them. Returns NULL if they are damaged, or when out
 * of memory.
 */
void *cache_file_read(const struct cache_file *kept, size_t index,
		      size_t *size);

/* A cache file that is being written. */
struct cache_file_writer;

/* Starts a cache file that will become @path. Returns NULL if it cannot be
 * written, or when out of memory.
 */
struct cache_file_writer *cache_file_writer_open(const char *path,
						 uint64_t key);

/* cache_file_writer_pack() returns the pack to which the caller writes the next
 * record; cache_file_writer_add() completes that record, whose times are @span.
 */
struct pack *cache_file_writer_pack(struct cache_file_writer *writer);

void cache_file_writer_add(struct cache_file_writer *writer,
			   const struct cached_span *span);

/* Returns the pack for the data to which the records refer: the last chunk of
 * the file, which has no records and is always read. Must be called after all
 * records were added.
 */
struct pack *cache_file_writer_rest(struct cache_file_writer *writer);

/* Completes the file and gives it its final name, unless an earlier write
 * failed.
 */
void cache_file_writer_finish(struct cache_file_writer *writer);

/* Frees the writer; an unfinished file is removed. NULL is allowed. */
void cache_file_writer_close(struct cache_file_writer *writer);

#endif
