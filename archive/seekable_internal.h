/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_SEEKABLE_INTERNAL_H
#define KT_ARCHIVE_SEEKABLE_INTERNAL_H

#include "common/array.h"

#include <stddef.h>
#include <stdint.h>

struct file_map;
struct log;

/* Zstandard's seekable format (contrib/seekable_format in zstd's sources):
 * independent frames, followed by a frame that decompressors skip. This last
 * frame is a table of the frames' sizes: for each frame {compressed size,
 * size}, then {number of frames, descriptor, magic}. All numbers are
 * little-endian.
 *
 * The writer cuts its bytes into frames of SEEKABLE_FRAME_BYTES; the reader
 * unpacks one frame at a time, so its memory does not depend on the size of the
 * file. Its input is untrusted: the table must fit the file and stay within the
 * limits of common/budget.h.
 */
enum {
	SEEKABLE_HEADER_BYTES = 8, /* of the skipped frame */
	SEEKABLE_ENTRY_BYTES = 8, /* without checksums: frames have their own */
	SEEKABLE_FOOTER_BYTES = 9,
	/* unpacked size of the frames that we write */
	SEEKABLE_FRAME_BYTES = 1 << 20,
};

/* Reads bytes in this format, with random access. */
struct seekable_reader {
	const uint8_t *packed;
	const char *path; /* for messages */
	const struct log *log;
	struct ZSTD_DCtx_s *context;
	struct array frames; /* struct frame_position, in order */
	uint64_t size;	     /* total, unpacked */
	/* index of the frame in @bytes; the number of frames if there is none
	 */
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

/* Copies the @size unpacked bytes that start at @offset to @bytes. Returns 0;
 * -ERROR_TRUNCATED if there are fewer bytes, -ERROR_FORMAT if a frame is
 * damaged, logged.
 */
int seekable_reader_get(struct seekable_reader *reader, uint64_t offset,
			void *bytes, size_t size);

void seekable_reader_free(struct seekable_reader *reader);

/* Writes bytes in this format. */
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

/* Starts to write to @fd. Borrows @fd, @path and @log. All seekable_writer_*()
 * functions return 0, -ERROR_MEMORY or -ERROR_SYSTEM, logged. The caller frees
 * the writer in any case.
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
