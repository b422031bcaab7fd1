/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_TAR_HEADER_H
#define KT_ARCHIVE_TAR_HEADER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

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

/* Writes the values that need records to @text: the whole name, size and time.
 * Returns its length.
 */
size_t tar_records_write(const struct tar_header *header, char *text,
			 size_t room);

/* Updates @header from the records in @text, of @size bytes; ignores records
 * about other values. Returns 0 or -ERROR_FORMAT.
 */
int tar_records_read(struct tar_header *header, const char *text, size_t size);

/* Returns the size of a member including the padding of its last block. */
uint64_t tar_padded(uint64_t size);

#endif
