/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_ARCHIVE_READER_H
#define KT_ARCHIVE_ARCHIVE_READER_H

#include "archive/seekable_reader.h"
#include "archive/tar_header.h"
#include "common/file_map.h"

/* Reads an archive (archive_writer.h), which may be from an untrusted source.
 */
struct archive_reader {
	struct file_map map;
	struct seekable_reader bytes;
	uint64_t next; /* position of the next header, unpacked */
	size_t count;  /* number of members so far */
};

/* A file or a folder. Its name is validated: it stays below the folder where
 * the archive is unpacked.
 */
struct archive_member {
	struct tar_header header;
	uint64_t content; /* position of its bytes, for seekable_reader_get() */
};

/* Opens @path. Returns 0 or a negative enum error logged to @log; or
 * -ERROR_UNSUPPORTED, without a message, if it is no archive. The caller must
 * close @reader after 0.
 */
int archive_reader_open(struct archive_reader *reader, const char *path,
			const struct log *log);

/* Returns 1 and the next @member, 0 at the end; or -ERROR_FORMAT,
 * -ERROR_TRUNCATED or -ERROR_UNSUPPORTED (for a link, say), logged.
 */
int archive_reader_next(struct archive_reader *reader,
			struct archive_member *member);
void archive_reader_close(struct archive_reader *reader);

#endif
