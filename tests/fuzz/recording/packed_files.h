/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FUZZ_PACKED_FILES_H
#define KT_TESTS_FUZZ_PACKED_FILES_H

#include <stddef.h>
#include <stdint.h>

enum { PACKED_FILES_MOST = 24, PACKED_NAME_ROOM = 80 };

/* A file of an input in the format of packed_folder.h. */
struct packed_file {
	char name[PACKED_NAME_ROOM];
	const uint8_t *bytes; /* in the input */
	size_t size;
};

struct packed_files {
	struct packed_file files[PACKED_FILES_MOST];
	size_t count;
};

/* Finds the files of an input. Files after the first PACKED_FILES_MOST, and
 * those with a name that is too long, are left out.
 */
void packed_files_read(struct packed_files *packed, const uint8_t *bytes,
		       size_t size);

/* Returns the file, or NULL. */
const struct packed_file *packed_files_find(const struct packed_files *packed,
					    const char *name);

/* Writes all of @packed as one input; @to must not overlap its files. Returns
 * the size; 0 if @room is too small.
 */
size_t packed_files_write(const struct packed_files *packed, uint8_t *to,
			  size_t room);

#endif
