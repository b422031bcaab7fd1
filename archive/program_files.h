/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_PROGRAM_FILES_H
#define KT_ARCHIVE_PROGRAM_FILES_H

#include "common/array.h"

struct recording;

/* A file of the traced programs. */
struct program_file {
	char *path; /* its present path */
	char *name; /* its path on the traced machine: below symfs */
};

/* Lists the existing files that the recording's processes had mapped as code,
 * and their debug files, which go into a folder .debug beside each file, where
 * readers look for them. Sets @files to struct program_file, in order of name.
 *
 * Returns 0 or -ERROR_MEMORY. The caller frees the list in any case.
 */
int program_files_find(const struct recording *recording, struct array *files);
void program_files_free(struct array *files);

#endif
