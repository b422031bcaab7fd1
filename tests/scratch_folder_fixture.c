/* SPDX-License-Identifier: MIT */
#include "tests/scratch_folder_fixture.h"
#include "tests/remove_folder_fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct scratch_folder scratch_folder_new(void)
{
	struct scratch_folder folder;
	const char *parent = getenv("TMPDIR");

	snprintf(folder.path, sizeof(folder.path), "%s/ktrace-test-XXXXXX",
		 parent && strlen(parent) < 40 ? parent : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder.path));
	return folder;
}

void scratch_folder_free(struct scratch_folder *folder)
{
	remove_folder(folder->path);
}

struct output_folder scratch_folder_output(const struct scratch_folder *folder)
{
	struct output_folder output;

	ck_assert_int_eq(output_folder_open(&output, folder->path, NULL), 0);
	return output;
}

void scratch_folder_path(const struct scratch_folder *folder, const char *name,
			 char *path, size_t size)
{
	snprintf(path, size, "%s/%s", folder->path, name);
}

void scratch_folder_write(const struct scratch_folder *folder, const char *name,
			  const char *text)
{
	char path[256];
	FILE *file;

	scratch_folder_path(folder, name, path, sizeof(path));
	for (char *at = path + strlen(folder->path) + 1; (at = strchr(at, '/'));
	     at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}
