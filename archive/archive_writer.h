/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_ARCHIVE_WRITER_H
#define KT_ARCHIVE_ARCHIVE_WRITER_H

#include "archive/seekable_writer.h"

struct file_map;
struct tar_header;

/* Writes an archive: a tar file (POSIX's pax format) in Zstandard's seekable
 * format, which tar(1) can unpack. All functions return 0 or a negative enum
 * error, logged to the writer's log.
 */

/* Adds the folder that @header names. */
int archive_add_folder(struct seekable_writer *writer,
		       const struct tar_header *header);

/* Adds the file described by @header, with @bytes, as many as its size. */
int archive_add_bytes(struct seekable_writer *writer,
		      const struct tar_header *header, const uint8_t *bytes);

/* Adds the file @path under the name @name. A file that cannot be read is
 * skipped with a warning.
 */
int archive_add_file(struct seekable_writer *writer, const char *path,
		     const char *name);

/* Writes the end of the archive. */
int archive_finish(struct seekable_writer *writer);

#endif
