/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_PROGRAM_FILES_H
#define KT_ARCHIVE_PROGRAM_FILES_H

#include "common/array.h"

struct recording;

/* A file of the traced programs. */
struct program_file {
	char *path; /* where it is here */
	char *name; /* where it was: below the folder of the machine's files */
};

/* Lists the files that the recording's processes had mapped as code and that are
 * there, and their debug files, which go into a folder .debug beside each, where
 * readers look for them.  Sets @files to struct program_file, in order of name.
 *
 * Returns 0 or -ERROR_MEMORY; free the list in any case.
 */
int program_files_find(const struct recording *recording, struct array *files);
void program_files_free(struct array *files);

#endif
