/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/copy_tree.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "machine/guest/init/copy_file.h"

static int copy_entry(const char *from, const char *to)
{
	struct stat info;

	if (lstat(from, &info))
		return -1;
	if (S_ISREG(info.st_mode) || S_ISLNK(info.st_mode))
		return copy_file(from, to, &info);
	if (!S_ISDIR(info.st_mode))
		return 0;
	return copy_folder(to, &info) ? -1 : copy_tree(from, to);
}

static int copy_child(const char *from, const char *to, const char *name)
{
	char source[PATH_MAX];
	char target[PATH_MAX];

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return 0;
	if (snprintf(source, sizeof(source), "%s/%s", from, name) >= PATH_MAX ||
	    snprintf(target, sizeof(target), "%s/%s", to, name) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return copy_entry(source, target);
}

int copy_tree(const char *from, const char *to)
{
	DIR *folder = opendir(from);
	struct dirent *entry;
	int result = 0;

	if (!folder)
		return -1;
	while (!result && (entry = readdir(folder)))
		result = copy_child(from, to, entry->d_name);
	closedir(folder);
	return result;
}
