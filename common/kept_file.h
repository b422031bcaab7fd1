/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_KEPT_FILE_H
#define KT_COMMON_KEPT_FILE_H

#include "common/array.h"
#include "common/chunk_file.h"
#include "common/kept_chunk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pack;

/* Records that are cached beside a recording and found by time
 * (docs/formats.md, "rows_TABLE"): the chunks of a file that may have wanted
 * records.
 */
struct kept_file {
	struct chunk_file file;
	struct array chunks; /* struct kept_chunk, in file order */
};

#define KEPT_FILE_NONE \
	((struct kept_file){ .file.fd = -1, \
			     .chunks = ARRAY_OF(struct kept_chunk) })

/* Opens the cached file at @path. @key is a hash of everything on which its
 * records depend.
 *
 * Returns whether the file exists and matches. The caller must close it either
 * way.
 */
bool kept_file_open(struct kept_file *kept, const char *path, uint64_t key,
		    const struct kept_span *wanted);
void kept_file_close(struct kept_file *kept);

/* Returns the records of chunk @index, which are untrusted data; the caller
 * frees them. Returns NULL if they are damaged, or when out of memory.
 */
void *kept_file_read(const struct kept_file *kept, size_t index, size_t *size);

/* A cache file that is being written. */
struct kept_file_writer;

/* Returns NULL if the file cannot be written, or when out of memory. */
struct kept_file_writer *kept_file_writer_open(const char *path, uint64_t key);

/* kept_file_writer_pack() returns the pack for the next record;
 * kept_file_writer_add() completes the record and sets its times.
 */
struct pack *kept_file_writer_pack(struct kept_file_writer *writer);
void kept_file_writer_add(struct kept_file_writer *writer,
			  const struct kept_span *span);

/* Must be called after all records were added. Returns the pack for the data to
 * which the records refer: the last chunk, which has no records and is always
 * read.
 */
struct pack *kept_file_writer_rest(struct kept_file_writer *writer);

/* Renames the file to its final name, if there was no error. */
void kept_file_writer_finish(struct kept_file_writer *writer);

/* Frees the writer; an unfinished file is removed. NULL is allowed. */
void kept_file_writer_close(struct kept_file_writer *writer);

#endif
