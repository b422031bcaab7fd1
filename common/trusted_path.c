/* SPDX-License-Identifier: MIT */
#include "common/trusted_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel's limit of links. */
enum { MOST_LINKS = 40 };

static int walk(int from, const char *path, int links);

static void close_quietly(int fd)
{
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
}

/* Follows the link that is open as @link and is in the folder @from. */
static int follow(int from, int link, const struct stat *stat, int links)
{
	char target[PATH_MAX];
	ssize_t length;

	if (stat->st_uid != 0 && stat->st_uid != geteuid()) {
		errno = EPERM;
		return -1;
	}
	if (!links) {
		errno = ELOOP;
		return -1;
	}
	length = readlinkat(link, "", target, sizeof(target) - 1);
	if (length < 0)
		return -1;
	target[length] = '\0';
	return walk(from, target, links - 1);
}

/* The owner and the target of a link are read from one descriptor. */
static int step(int from, const char *name, int links)
{
	int fd = openat(from, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat stat;
	int next = fd;

	if (fd < 0)
		return -1;
	if (fstat(fd, &stat) < 0)
		next = -1;
	else if (S_ISLNK(stat.st_mode))
		next = follow(from, fd, &stat, links);
	if (next != fd)
		close_quietly(fd);
	return next;
}

/* Returns the file @path, relative to the folder @from. */
static int walk(int from, const char *path, int links)
{
	char *copy = strdup(path);
	char *rest = NULL;
	int at = copy ? openat(from, *path == '/' ? "/" : ".",
			       O_PATH | O_DIRECTORY | O_CLOEXEC) :
			-1;

	for (char *name = copy ? strtok_r(copy, "/", &rest) : NULL;
	     name && at >= 0; name = strtok_r(NULL, "/", &rest)) {
		int next = step(at, name, links);

		close_quietly(at);
		at = next;
	}
	free(copy);
	return at;
}

int trusted_path_open(int from, const char *path)
{
	if (*path)
		return walk(from, path, MOST_LINKS);
	errno = ENOENT;
	return -1;
}

int trusted_path_parent(const char *path, char **name)
{
	size_t length = strlen(path);
	size_t start;
	char *folder;
	int fd = -1;

	while (length > 1 && path[length - 1] == '/')
		length--;
	start = length;
	while (start && path[start - 1] != '/')
		start--;
	folder = start ? strndup(path, start) : strdup(".");
	*name = start < length ? strndup(path + start, length - start) :
				 strdup(".");
	if (!length)
		errno = ENOENT;
	else if (folder && *name)
		fd = walk(AT_FDCWD, folder, MOST_LINKS);
	free(folder);
	if (fd < 0) {
		free(*name);
		*name = NULL;
	}
	return fd;
}
