/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_SCRATCH_FOLDER_FIXTURE_H
#define KT_TESTS_SCRATCH_FOLDER_FIXTURE_H

#include "common/files/output_folder.h"

#include <stddef.h>

/* A folder for one test's files. */
struct scratch_folder {
	char path[64];
};

struct scratch_folder scratch_folder_new(void);

/* Removes the folder and everything in it. */
void scratch_folder_free(struct scratch_folder *folder);

/* Writes @text to the file @name in the folder, making folders on the way. */
void scratch_folder_write(const struct scratch_folder *folder, const char *name,
			  const char *text);

/* Opens the folder for writing; the caller closes it. */
struct output_folder scratch_folder_output(const struct scratch_folder *folder);

/* Sets @path to the path of @name in the folder. */
void scratch_folder_path(const struct scratch_folder *folder, const char *name,
			 char *path, size_t size);

#endif
