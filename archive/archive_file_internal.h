/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_ARCHIVE_FILE_INTERNAL_H
#define KT_ARCHIVE_ARCHIVE_FILE_INTERNAL_H

#include "archive/seekable_internal.h"
#include "common/files/file_map.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* An archive: a tar file (POSIX's pax format) in Zstandard's seekable format,
 * which tar(1) can unpack:
 *
 *	recording_archive.h ──► archive_add_*() ──► file ──► archive_reader_next()
 *	                                                          ──► unpack.h
 *
 * The reader's file may be from an untrusted source: names stay below the
 * folder where it is unpacked, members are files and folders only, and their
 * number and sizes are within the limits of common/budget.h.
 */

/* Headers of POSIX's pax format (IEEE Std 1003.1, "pax Interchange Format"):
 * ustar blocks, preceded by records for values that do not fit in them.
 */
enum {
	TAR_BLOCK_BYTES = 512,
	TAR_FILE = '0',
	TAR_FOLDER = '5',
	TAR_RECORDS = 'x', /* pax records about the next member */
};

/* One member, without its bytes. */
struct tar_header {
	char name[PATH_MAX];
	char type;
	mode_t mode;
	uint64_t size;
	struct timespec changed;
};

/* Writes @header's block. */
void tar_header_write(const struct tar_header *header,
		      uint8_t block[TAR_BLOCK_BYTES]);

/* Parses @block. Returns 1; 0 if it is all zero (the end); or -ERROR_FORMAT. */
int tar_header_read(struct tar_header *header,
		    const uint8_t block[TAR_BLOCK_BYTES]);

/* Writes pax records of @header's whole name, size and time to @text. Returns
 * the length of the text.
 */
size_t tar_records_write(const struct tar_header *header, char *text,
			 size_t room);

/* Updates @header from the records in @text, of @size bytes; ignores records
 * about other values. Returns 0 or -ERROR_FORMAT.
 */
int tar_records_read(struct tar_header *header, const char *text, size_t size);

/* Reads an archive. */
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
	uint64_t content; /* position in the unpacked archive */
};

/* Opens @path. Returns 0 or a negative enum error logged to @log; or
 * -ERROR_UNSUPPORTED, without a message, if it is not an archive. The caller
 * must close @reader after 0.
 */
int archive_reader_open(struct archive_reader *reader, const char *path,
			const struct log *log);

/* Returns 1 and the next @member, 0 at the end; or -ERROR_FORMAT,
 * -ERROR_TRUNCATED or -ERROR_UNSUPPORTED (for a member that is neither a file
 * nor a folder), logged.
 */
int archive_reader_next(struct archive_reader *reader,
			struct archive_member *member);

void archive_reader_close(struct archive_reader *reader);

/* The functions that write return 0 or a negative enum error, logged to the
 * writer's log.
 */

/* Adds the folder that @header names. */
int archive_add_folder(struct seekable_writer *writer,
		       const struct tar_header *header);

/* Adds the file described by @header, with @bytes, as many as its size. */
int archive_add_bytes(struct seekable_writer *writer,
		      const struct tar_header *header, const uint8_t *bytes);

/* A piece of a file's content, borrowed. */
struct data_piece {
	const uint8_t *bytes;
	uint64_t size;
};

/* Like archive_add_bytes(), with the bytes of @count @pieces, one after the
 * other: together they have the size of the file.
 */
int archive_add_pieces(struct seekable_writer *writer,
		       const struct tar_header *header,
		       const struct data_piece *pieces, size_t count);

/* Adds the file @path under the name @name. A file that cannot be read is
 * skipped with a warning.
 */
int archive_add_file(struct seekable_writer *writer, const char *path,
		     const char *name);

/* Writes the end of the archive. */
int archive_finish(struct seekable_writer *writer);

#endif
