/* SPDX-License-Identifier: MIT */
#include "tests/shared_fixture.h"

#include <check.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Suites run in the root of the checkout. Tests may change directory or use the
 * path in links, so it is absolute.
 */
static bool shared_folder(char folder[PATH_MAX])
{
	const char *named = getenv("KTRACE_SHARED");

	if (named && *named) {
		ck_assert_msg(realpath(named, folder), "KTRACE_SHARED: %s: %s",
			      named, strerror(errno));
		return true;
	}
	if (realpath("../shared", folder))
		return true;
	printf("skipped: there is no ../shared, and KTRACE_SHARED does not "
	       "name the reference data\n");
	return false;
}

bool shared_path(const char *name, char *path, size_t size)
{
	char folder[PATH_MAX];

	path[0] = '\0';
	if (!shared_folder(folder))
		return false;
	snprintf(path, size, "%s/%s", folder, name);
	return true;
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
	char folder[PATH_MAX];
	char scratch[] = "/tmp/ktrace-hw-test.XXXXXX";
	char command[5000];

	path[0] = '\0';
	if (!shared_folder(folder) || !mkdtemp(scratch))
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

bool shared_has_intel_pt(void)
{
#ifdef HAVE_INTEL_PT
	return true;
#else
	printf("skipped: this build has no decoder for Intel PT\n");
	return false;
#endif
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
