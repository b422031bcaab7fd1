/* SPDX-License-Identifier: MIT */
#include "cmd/record/record_folder.h"

#include "cmd/console/say.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_file(const char *folder, const char *name)
{
	char path[4400];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return !access(path, F_OK);
}

static bool is_empty(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	bool empty = folder != NULL;

	while (empty && (entry = readdir(folder)))
		empty = entry->d_name[0] == '.' &&
			(!entry->d_name[1] || !strcmp(entry->d_name, ".."));
	if (folder)
		closedir(folder);
	return empty;
}

static void remove_files(const char *parent, const char *name)
{
	char folder[4096];
	char path[4400];
	const struct dirent *entry;
	DIR *entries;

	snprintf(folder, sizeof(folder), "%s/%s", parent, name);
	entries = opendir(folder);
	if (!entries)
		return;
	while ((entry = readdir(entries))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (entry->d_type == DT_REG)
			unlink(path);
	}
	closedir(entries);
	rmdir(folder);
}

/* Removes those whose names begin with @prefix. */
static void remove_files_of(const char *folder, const char *prefix)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	char path[4400];

	while (entries && (entry = readdir(entries))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		unlink(path);
	}
	if (entries)
		closedir(entries);
}

void record_folder_remove(const char *path)
{
	/* The recording, and what reports keep beside it. */
	static const char *const names[] = { "data", "index", "state_index",
					     "view", "trace.dat" };
	char file[4400];

	remove_files(path, "kcore_dir");
	remove_files(path, "code");
	/* What function_graph wrote, if it did not come to trace.dat. */
	remove_files_of(path, "trace.cpu");
	/* What queries and reports keep. */
	remove_files_of(path, "rows_");
	remove_files_of(path, "report_");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(file, sizeof(file), "%s/%s", path, names[i]);
		unlink(file);
	}
	rmdir(path);
}

static int complain(const char *path, const char *reason)
{
	say_of("record", "%s: %s", path, reason);
	return -1;
}

static int move_away(const char *path)
{
	char old[4096];

	if (!has_file(path, "data"))
		return complain(path, "is there and is no recording: choose "
				      "another place with -o");
	snprintf(old, sizeof(old), "%s.old", path);
	if (has_file(old, "data"))
		record_folder_remove(old);
	if (rename(path, old) < 0)
		return complain(path, strerror(errno));
	return 0;
}

/* A recorder that was killed early leaves a copy of the kernel: nothing that can
 * be read, or that is worth the place of an older recording.
 */
static bool is_stub(const char *path)
{
	return !has_file(path, "data") && has_file(path, "kcore_dir");
}

int record_folder_make(const char *path)
{
	if (is_stub(path))
		record_folder_remove(path);
	if (!access(path, F_OK)) {
		if (is_empty(path))
			return 0;
		if (move_away(path))
			return -1;
	}
	if (mkdir(path, 0700) < 0)
		return complain(path, strerror(errno));
	return 0;
}
