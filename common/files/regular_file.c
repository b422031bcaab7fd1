/* SPDX-License-Identifier: MIT */
#include "common/files/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The kernel's limit of links that one path follows, nested or one after the
 * other. Below, *@links is the number that may still be followed.
 */
enum { MOST_LINKS = 40 };

static int walk(int from, const char *path, int *links);

static void close_quietly(int fd)
{
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
}

/* Follows the link that is open as @link and is in the folder @from. */
static int follow(int from, int link, const struct stat *stat, int *links)
{
	char target[PATH_MAX];
	ssize_t length;

	if (stat->st_uid != 0 && stat->st_uid != geteuid()) {
		errno = EPERM;
		return -1;
	}
	if (!*links) {
		errno = ELOOP;
		return -1;
	}
	--*links;
	length = readlinkat(link, "", target, sizeof(target) - 1);
	if (length < 0)
		return -1;
	target[length] = '\0';
	return walk(from, target, links);
}

/* Walks one name of a path. The owner and the target of a link are read from
 * one descriptor.
 */
static int step(int from, const char *name, int *links)
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
static int walk(int from, const char *path, int *links)
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
	int links = MOST_LINKS;

	if (*path)
		return walk(from, path, &links);
	errno = ENOENT;
	return -1;
}

int trusted_path_parent(const char *path, char **name)
{
	size_t length = strlen(path);
	size_t start;
	char *folder;
	int links = MOST_LINKS;
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
		fd = walk(AT_FDCWD, folder, &links);
	free(folder);
	if (fd < 0) {
		free(*name);
		*name = NULL;
	}
	return fd;
}

static bool is_of_disk(int fd)
{
	static const unsigned long kernels_own[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC,	       DEBUGFS_MAGIC,
		TRACEFS_MAGIC,	  CGROUP2_SUPER_MAGIC,
	};
	struct statfs system;

	if (fstatfs(fd, &system) < 0)
		return false;
	for (size_t i = 0; i < sizeof(kernels_own) / sizeof(*kernels_own); i++)
		if ((unsigned long)system.f_type == kernels_own[i])
			return false;
	return true;
}

static bool is_regular(int fd)
{
	struct stat stat;

	if (fstat(fd, &stat) < 0)
		return false;
	if (S_ISREG(stat.st_mode) && is_of_disk(fd))
		return true;
	errno = EINVAL;
	return false;
}

/* Opens for reading the file of @found, an O_PATH descriptor or -1, and closes
 * @found. Only regular files are opened, because opening a device could have
 * effects.
 */
static int open_found(int found)
{
	char path[64];
	int fd = -1;
	int error;

	if (found < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	if (is_regular(found))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	error = errno;
	close(found);
	errno = error;
	return fd;
}

int regular_file_open(const char *path)
{
	return open_found(open(path, O_PATH | O_CLOEXEC));
}

int regular_file_open_in_root(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (unsigned int)flags,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return open_found(
		(int)syscall(SYS_openat2, root, path, &how, sizeof(how)));
}

bool regular_file_goes_up(const char *name)
{
	while (name) {
		if (!strncmp(name, "..", 2) && (!name[2] || name[2] == '/'))
			return true;
		name = strchr(name, '/');
		if (name)
			name++;
	}
	return false;
}

int regular_file_open_beneath(const char *folder, const char *name)
{
	int directory;
	int found;
	int error;

	if (*name == '/' || regular_file_goes_up(name)) {
		errno = EXDEV;
		return -1;
	}
	directory = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return -1;
	found = trusted_path_open(directory, name);
	error = errno;
	close(directory);
	errno = error;
	return open_found(found);
}

int regular_file_open_cached(const char *path)
{
	const char *end = strrchr(path, '/');
	char folder[PATH_MAX];

	if (!end)
		return regular_file_open_beneath(".", path);
	/* Includes the slash, because the root has no other name. */
	snprintf(folder, sizeof(folder), "%.*s", (int)(end - path) + 1, path);
	return regular_file_open_beneath(folder, end + 1);
}

const char *regular_file_error(int error)
{
	if (error == EINVAL)
		return "not a regular file";
	if (error == EPERM)
		return "another user made a link there";
	if (error == EXDEV)
		return "it is outside the recording";
	return strerror(error);
}
