/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_FILE_ARCHIVE_H
#define KT_ARCHIVE_FILE_ARCHIVE_H

#include <stddef.h>

struct log;

/* A file that is put into an archive. */
struct archived_file {
	const char *path;
	const char *name; /* in the archive */
};

/* Writes the @count files to @fd as an archive that tar(1) unpacks; @path is
 * its name for messages. A file that cannot be read is left out with a warning.
 *
 * Returns 0 or a negative enum error, logged to @log.
 */
int file_archive_write(int fd, const char *path,
		       const struct archived_file *files, size_t count,
		       const struct log *log);

#endif
