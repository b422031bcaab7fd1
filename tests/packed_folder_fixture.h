/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_PACKED_FOLDER_FIXTURE_H
#define KT_TESTS_PACKED_FOLDER_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The files of a folder as one input: each file is preceded by a line of
 * PACKED_FOLDER_MARK and its name. Bytes before the first such line are the
 * file "data", so that a perf.data file is a folder as well.
 */
#define PACKED_FOLDER_MARK "@@file "

struct packed_folder {
	char path[128];
};

/* Unpacks @bytes to a temporary folder; files whose names could lead out of it
 * are left out. Returns false if the folder could not be made.
 */
bool packed_folder_unpack(struct packed_folder *folder, const uint8_t *bytes,
			  size_t size);

/* Removes the folder and its files. */
void packed_folder_remove(const struct packed_folder *folder);

#endif
