/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_SCRATCH_FOLDER_FIXTURE_H
#define KT_TESTS_SCRATCH_FOLDER_FIXTURE_H

#include <stddef.h>

/* A folder for one test's files. */
struct scratch_folder {
	char path[64];
};

struct scratch_folder scratch_folder_new(void);

/* Removes it and all that is in it. */
void scratch_folder_free(struct scratch_folder *folder);

/* Writes @text to the file @name in it, making folders on the way. */
void scratch_folder_write(const struct scratch_folder *folder, const char *name,
			  const char *text);

/* Sets @path to that of @name in it. */
void scratch_folder_path(const struct scratch_folder *folder, const char *name,
			 char *path, size_t size);

#endif
