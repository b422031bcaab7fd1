/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_ARCHIVE_READER_H
#define KT_ARCHIVE_ARCHIVE_READER_H

#include "archive/seekable_reader.h"
#include "archive/tar_header.h"
#include "common/file_map.h"

/* Goes through an archive (archive_writer.h), which may come from anybody. */
struct archive_reader {
	struct file_map map;
	struct seekable_reader bytes;
	uint64_t next; /* where the next header is, unpacked */
	size_t count;  /* of members so far */
};

/* A file or a folder below where it is unpacked: its name leads nowhere else. */
struct archive_member {
	struct tar_header header;
	uint64_t content; /* where its bytes are, for seekable_reader_get() */
};

/* Opens @path.  Returns 0 or a negative enum error said to @log;
 * -ERROR_UNSUPPORTED, said to nobody: it is no archive.  Close it if 0.
 */
int archive_reader_open(struct archive_reader *reader, const char *path,
			const struct log *log);

/* Returns 1 and the next @member, 0 at the end; -ERROR_FORMAT, -ERROR_TRUNCATED
 * or -ERROR_UNSUPPORTED (a link, say), said to the log.
 */
int archive_reader_next(struct archive_reader *reader,
			struct archive_member *member);
void archive_reader_close(struct archive_reader *reader);

#endif
