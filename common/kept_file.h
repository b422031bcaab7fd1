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

/* Records that are kept beside a recording and found by when they were
 * (docs/formats.md, "rows_TABLE"): those chunks of a file that may have some that
 * are wanted.
 */
struct kept_file {
	struct chunk_file file;
	struct array chunks; /* struct kept_chunk, in the order of the file */
};

#define KEPT_FILE_NONE \
	((struct kept_file){ .file.fd = -1, \
			     .chunks = ARRAY_OF(struct kept_chunk) })

/* Opens the file at @path.  @key is what its records depend on.
 *
 * Returns whether there is one that fits; close it either way.
 */
bool kept_file_open(struct kept_file *kept, const char *path, uint64_t key,
		    const struct kept_span *wanted);
void kept_file_close(struct kept_file *kept);

/* Returns the records of chunk @index, which are outside data, to be freed; NULL if
 * they are not what was written, or when out of memory.
 */
void *kept_file_read(const struct kept_file *kept, size_t index, size_t *size);

/* Such a file while its records are made. */
struct kept_file_writer;

/* Returns NULL where the file cannot be written, or when out of memory. */
struct kept_file_writer *kept_file_writer_open(const char *path, uint64_t key);

/* Returns where the next record goes; kept_file_writer_add() says that it is there
 * and when it was.
 */
struct pack *kept_file_writer_pack(struct kept_file_writer *writer);
void kept_file_writer_add(struct kept_file_writer *writer,
			  const struct kept_span *span);

/* All records were added: returns where what they refer to goes, the last chunk,
 * which has none and is always wanted.
 */
struct pack *kept_file_writer_rest(struct kept_file_writer *writer);

/* Puts the file in its place, if all went well. */
void kept_file_writer_finish(struct kept_file_writer *writer);

/* NULL is allowed.  What was not finished is gone. */
void kept_file_writer_close(struct kept_file_writer *writer);

#endif
