/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/debug_files.h"

#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A release must be the name of one folder, not a path. */
static bool is_release(const char *text)
{
	return *text && *text != '.' && !strchr(text, '/');
}

char *debug_file_of_kernel(const char *release)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux",
		"/boot/vmlinux-%s",
	};

	for (size_t i = 0;
	     is_release(release) && i < sizeof(places) / sizeof(*places); i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), places[i], release);
		if (access(path, R_OK) == 0)
			return strdup(path);
	}
	return NULL;
}

/* Returns whether @file belongs to @module: foo-bar.ko, foo_bar.ko.debug. */
static bool is_of(const char *file, const char *module)
{
	for (; *module; module++, file++)
		if (*file != *module && !(*file == '-' && *module == '_'))
			return false;
	return strcmp(file, ".ko") == 0 || strcmp(file, ".ko.debug") == 0;
}

static char *find_below(char *folder, const char *module)
{
	char *const roots[] = { folder, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	char *found = NULL;
	FTSENT *entry;

	while (tree && !found && (entry = fts_read(tree)))
		if (entry->fts_info == FTS_F && is_of(entry->fts_name, module))
			found = strdup(entry->fts_path);
	if (tree)
		fts_close(tree);
	return found;
}

char *debug_file_of_module(const char *release, const char *module)
{
	static const char *const places[] = {
		"/usr/lib/debug/lib/modules/%s",
		"/lib/modules/%s",
	};
	char *found = NULL;

	for (size_t i = 0; !found && is_release(release) &&
			   i < sizeof(places) / sizeof(*places);
	     i++) {
		char folder[PATH_MAX];

		snprintf(folder, sizeof(folder), places[i], release);
		found = find_below(folder, module);
	}
	return found;
}
