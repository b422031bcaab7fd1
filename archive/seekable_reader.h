/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_SEEKABLE_READER_H
#define KT_ARCHIVE_SEEKABLE_READER_H

#include "common/array.h"

#include <stddef.h>
#include <stdint.h>

struct file_map;
struct log;

/* Reads bytes in the seekable format (seekable.h), with random access. */
struct seekable_reader {
	const uint8_t *packed;
	const char *path; /* for messages */
	const struct log *log;
	struct ZSTD_DCtx_s *context;
	struct array frames; /* struct seekable_place, in order */
	uint64_t size;	     /* total, unpacked */
	/* the unpacked frame; none: the number of frames */
	size_t frame;
	uint8_t *bytes;
};

/* Reads the table of @map, which must outlive the reader, as must @path and
 * @log.
 *
 * Returns 0; -ERROR_UNSUPPORTED, without a message, if it is not in this
 * format; -ERROR_TRUNCATED if it ends before its table; -ERROR_FORMAT if the
 * table does not fit the file or exceeds the limits of budget.h; -ERROR_MEMORY.
 * The caller frees the reader in any case.
 */
int seekable_reader_open(struct seekable_reader *reader,
			 const struct file_map *map, const char *path,
			 const struct log *log);

/* Copies @size bytes from @offset on to @bytes. Returns 0; -ERROR_TRUNCATED if
 * there are fewer bytes, -ERROR_FORMAT if a frame is damaged, logged.
 */
int seekable_reader_get(struct seekable_reader *reader, uint64_t offset,
			void *bytes, size_t size);
void seekable_reader_free(struct seekable_reader *reader);

#endif
