/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/copy_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy_bytes(int in, int out, off_t size)
{
	while (size > 0) {
		ssize_t copied = sendfile(out, in, NULL, (size_t)size);

		if (copied <= 0)
			return -1;
		size -= copied;
	}
	return 0;
}

static int copy_file(const char *from, const char *to, const struct stat *info)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		       info->st_mode & 07777);
	int result = -1;

	if (in >= 0 && out >= 0)
		result = copy_bytes(in, out, info->st_size);
	if (in >= 0)
		close(in);
	if (out >= 0 && close(out))
		result = -1;
	return result;
}

static int copy_link(const char *from, const char *to)
{
	char target[PATH_MAX];
	ssize_t length = readlink(from, target, sizeof(target) - 1);

	if (length < 0)
		return -1;
	target[length] = '\0';
	return symlink(target, to);
}

static int copy_entry(const char *from, const char *to)
{
	struct stat info;

	if (lstat(from, &info))
		return -1;
	if (S_ISREG(info.st_mode))
		return copy_file(from, to, &info);
	if (S_ISLNK(info.st_mode))
		return copy_link(from, to);
	if (!S_ISDIR(info.st_mode))
		return 0;
	if (mkdir(to, info.st_mode & 07777) && errno != EEXIST)
		return -1;
	return copy_tree(from, to);
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
