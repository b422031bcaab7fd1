/* SPDX-License-Identifier: MIT */
#include "cmd/record/command_path.h"

#include <errno.h>
#include <limits.h>
#include <paths.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_file(const char *path)
{
	struct stat stat_of_path;

	if (stat(path, &stat_of_path) < 0)
		return -1;
	if (S_ISREG(stat_of_path.st_mode))
		return access(path, X_OK);
	errno = EACCES;
	return -1;
}

static int find_in_folders(const char *folders, const char *command,
			   char path[PATH_MAX])
{
	int error = ENOENT;

	for (const char *end; *command; folders = end + 1) {
		end = strchrnul(folders, ':');
		/* An empty entry is the current folder. */
		snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - folders),
			 folders, end > folders ? "/" : "", command);
		if (!check_file(path))
			return 0;
		if (errno == EACCES)
			error = errno;
		if (!*end)
			break;
	}
	errno = error;
	return -1;
}

/* The standard path has folders that are only in root's PATH. They are
 * searched, too, because commands in the virtual machine run as root.
 */
int command_path_find(const char *command, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	int error;

	if (strchr(command, '/')) {
		snprintf(path, PATH_MAX, "%s", command);
		return check_file(path);
	}
	if (!find_in_folders(folders ? folders : _PATH_DEFPATH, command, path))
		return 0;
	error = errno;
	if (!find_in_folders(_PATH_STDPATH, command, path))
		return 0;
	errno = error;
	return -1;
}

int command_path_check(const char *command)
{
	char path[PATH_MAX];

	return command_path_find(command, path);
}
