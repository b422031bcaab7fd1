/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_SEEKABLE_WRITER_H
#define KT_ARCHIVE_SEEKABLE_WRITER_H

#include "common/array.h"

#include <stddef.h>
#include <stdint.h>

struct log;

/* Writes bytes in the seekable format (seekable.h). */
struct seekable_writer {
	int fd;
	const char *path; /* for messages */
	const struct log *log;
	struct ZSTD_CCtx_s *context;
	uint8_t *bytes; /* of the next frame */
	size_t size;
	uint8_t *packed;
	size_t packed_room;
	uint64_t written;    /* bytes written to the file */
	struct array frames; /* struct seekable_frame */
};

/* Starts to write to @fd. Borrows @fd, @path and @log. All functions return 0,
 * -ERROR_MEMORY or -ERROR_SYSTEM, logged. The caller frees the writer in any
 * case.
 */
int seekable_writer_open(struct seekable_writer *writer, int fd,
			 const char *path, const struct log *log);
int seekable_writer_put(struct seekable_writer *writer, const void *bytes,
			size_t size);

/* Ends the frame, so that later bytes can be read without unpacking earlier
 * ones.
 */
int seekable_writer_cut(struct seekable_writer *writer);

/* Writes the table. Nothing can be put afterwards. */
int seekable_writer_finish(struct seekable_writer *writer);
void seekable_writer_free(struct seekable_writer *writer);

#endif
