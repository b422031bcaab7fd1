/* SPDX-License-Identifier: MIT */
#include "common/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_nameless(const char *path)
{
	char *end = strrchr(path, '/');
	char *folder = end ? strndup(path, (size_t)(end - path) + 1) :
			     strdup(".");
	int fd = -1;

	if (folder)
		fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
	free(folder);
	return fd;
}

static int open_temporary(struct new_file *file)
{
	int fd = -1;

	if (asprintf(&file->temporary, "%s.XXXXXX", file->path) < 0)
		file->temporary = NULL;
	else
		fd = mkostemp(file->temporary, O_CLOEXEC);
	if (fd < 0) {
		free(file->temporary);
		file->temporary = NULL;
	}
	return fd;
}

bool new_file_may_be(const char *path)
{
	struct stat file;

	if (stat(path, &file) < 0 || S_ISREG(file.st_mode))
		return true;
	errno = EINVAL;
	return false;
}

bool new_file_open(struct new_file *file, const char *path)
{
	*file = (struct new_file){ .path = strdup(path), .fd = -1 };
	if (!file->path || !new_file_may_be(path))
		return false;
	file->fd = open_nameless(path);
	if (file->fd < 0)
		file->fd = open_temporary(file);
	return file->fd >= 0;
}

/* Gives the file a name beside its last one: links replace no file. */
static bool give_name(struct new_file *file)
{
	char source[32];

	if (file->temporary)
		return true;
	if (asprintf(&file->temporary, "%s.%ld", file->path, (long)getpid()) <
	    0) {
		file->temporary = NULL;
		return false;
	}
	snprintf(source, sizeof(source), "/proc/self/fd/%d", file->fd);
	if (linkat(AT_FDCWD, source, AT_FDCWD, file->temporary,
		   AT_SYMLINK_FOLLOW) == 0)
		return true;
	free(file->temporary);
	file->temporary = NULL;
	return false;
}

bool new_file_finish(struct new_file *file)
{
	if (!give_name(file) || fchmod(file->fd, 0644) < 0 ||
	    rename(file->temporary, file->path) < 0)
		return false;
	free(file->temporary);
	file->temporary = NULL;
	return true;
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
