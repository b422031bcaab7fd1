/* SPDX-License-Identifier: MIT */
#include "common/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_nameless(const char *path, mode_t mode)
{
	char *end = strrchr(path, '/');
	char *folder = end ? strndup(path, (size_t)(end - path) + 1) :
			     strdup(".");
	int fd = -1;

	if (folder)
		fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	free(folder);
	return fd;
}

/* Creates an unpredictable name beside file->path, so that other users with
 * write access to the folder cannot create a file or a link of that name
 * before.
 */
static bool make_name(struct new_file *file)
{
	uint64_t random;

	free(file->temporary);
	file->temporary = NULL;
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return false;
	if (asprintf(&file->temporary, "%s.%016" PRIx64, file->path, random) <
	    0)
		file->temporary = NULL;
	return file->temporary;
}

/* The number of names to try. A used name is no coincidence, but an attack. */
enum { NAMES_TRIED = 8 };

static int open_temporary(struct new_file *file, mode_t mode)
{
	int fd = -1;

	for (int i = 0; i < NAMES_TRIED && fd < 0 && make_name(file); i++)
		fd = open(file->temporary,
			  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  mode);
	if (fd < 0) {
		free(file->temporary);
		file->temporary = NULL;
	}
	return fd;
}

/* /dev/stdout may lead to a regular file, but is a name of the system. */
static bool is_of_system(const char *path)
{
	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
}

bool new_file_may_be(const char *path)
{
	struct stat file;

	if (!is_of_system(path) &&
	    (stat(path, &file) < 0 || S_ISREG(file.st_mode)))
		return true;
	errno = EINVAL;
	return false;
}

/* Returns the target of a link, so that the target is replaced; @path itself if
 * it is no link. Owner: the caller. NULL when out of memory.
 */
static char *follow_link(const char *path)
{
	struct stat file;
	char *target = NULL;

	if (lstat(path, &file) == 0 && S_ISLNK(file.st_mode))
		target = realpath(path, NULL);
	return target ? target : strdup(path);
}

bool new_file_open(struct new_file *file, const char *path, mode_t mode)
{
	*file = (struct new_file){ .path = follow_link(path), .fd = -1 };
	if (!file->path || !new_file_may_be(path))
		return false;
	file->fd = open_nameless(file->path, mode);
	if (file->fd < 0)
		file->fd = open_temporary(file, mode);
	return file->fd >= 0;
}

/* Gives the file a temporary name beside its final one, because linkat(2)
 * cannot replace a file.
 */
static bool give_name(struct new_file *file)
{
	char source[32];

	if (file->temporary)
		return true;
	snprintf(source, sizeof(source), "/proc/self/fd/%d", file->fd);
	for (int i = 0; i < NAMES_TRIED && make_name(file); i++)
		if (linkat(AT_FDCWD, source, AT_FDCWD, file->temporary,
			   AT_SYMLINK_FOLLOW) == 0)
			return true;
	free(file->temporary);
	file->temporary = NULL;
	return false;
}

static bool finish(struct new_file *file, unsigned int flags)
{
	if (!give_name(file) || renameat2(AT_FDCWD, file->temporary, AT_FDCWD,
					  file->path, flags) < 0)
		return false;
	free(file->temporary);
	file->temporary = NULL;
	return true;
}

bool new_file_finish(struct new_file *file)
{
	return finish(file, 0);
}

bool new_file_finish_first(struct new_file *file)
{
	struct stat other;

	if (finish(file, RENAME_NOREPLACE))
		return true;
	/* Some file systems do not support flags. */
	if (errno != EINVAL || lstat(file->path, &other) == 0)
		return false;
	return finish(file, 0);
}

void new_file_close(struct new_file *file)
{
	if (file->temporary)
		unlink(file->temporary);
	if (file->fd >= 0)
		close(file->fd);
	free(file->temporary);
	free(file->path);
	*file = (struct new_file){ .fd = -1 };
}
