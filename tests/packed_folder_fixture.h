/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_PACKED_FOLDER_FIXTURE_H
#define KT_TESTS_PACKED_FOLDER_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The files of a folder as one input: a line of PACKED_FOLDER_MARK and a name
 * goes before each.  What comes before the first is the file "data", so that a
 * perf.data file is a folder as well.
 */
#define PACKED_FOLDER_MARK "@@file "

struct packed_folder {
	char path[128];
};

/* Makes a folder of temporary files; those with a name that could lead out of
 * it are left out.  Returns whether it was made.
 */
bool packed_folder_unpack(struct packed_folder *folder, const uint8_t *bytes,
			  size_t size);

/* Removes it. */
void packed_folder_remove(const struct packed_folder *folder);

#endif
