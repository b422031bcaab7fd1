/* SPDX-License-Identifier: MIT */
#include "tests/shared_fixture.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *shared_folder(void)
{
	const char *folder = getenv("KTRACE_SHARED");

	if (folder && *folder)
		return folder;
	printf("skipped: KTRACE_SHARED does not name the reference data\n");
	return NULL;
}

bool shared_path(const char *name, char *path, size_t size)
{
	const char *folder = shared_folder();

	path[0] = '\0';
	if (folder)
		snprintf(path, size, "%s/%s", folder, name);
	return folder;
}

/* Recordings are packed under names of their own. */
static bool find_folder(const char *scratch, char *path, size_t size)
{
	char pattern[4200];
	glob_t found;
	bool is_found;

	snprintf(pattern, sizeof(pattern), "%s/*.data", scratch);
	is_found = !glob(pattern, 0, NULL, &found);
	if (is_found)
		snprintf(path, size, "%s", found.gl_pathv[0]);
	globfree(&found);
	return is_found;
}

bool shared_recording(const char *name, char *path, size_t size)
{
	const char *folder = shared_folder();
	char scratch[] = "/tmp/ktrace-hw-test.XXXXXX";
	char command[5000];

	path[0] = '\0';
	if (!folder || !mkdtemp(scratch))
		return false;
	snprintf(command, sizeof(command),
		 "tar --zstd -xf '%s/recordings/%s.tar.zst' -C %s", folder,
		 name, scratch);
	if (system(command)) {
		printf("skipped: %s cannot be unpacked\n", name);
		return false;
	}
	return find_folder(scratch, path, size);
}

void shared_recording_remove(const char *path)
{
	char command[5000];

	if (!*path)
		return;
	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	if (system(command))
		return;
	snprintf(command, sizeof(command), "%.*s",
		 (int)(strrchr(path, '/') - path), path);
	remove(command);
}

uint8_t *shared_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;

	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*size);
	if (bytes && fread(bytes, 1, *size, file) != *size) {
		free(bytes);
		bytes = NULL;
	}
	fclose(file);
	return bytes;
}
