/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/copy_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* A link on the host could point anywhere. */
static int remove_link(const char *path)
{
	struct stat there;

	if (lstat(path, &there))
		return errno == ENOENT ? 0 : -1;
	return S_ISLNK(there.st_mode) ? unlink(path) : 0;
}

static int copy_range(int in, int out, off_t begin, off_t end)
{
	if (lseek(out, begin, SEEK_SET) < 0)
		return -1;
	while (begin < end) {
		ssize_t copied =
			sendfile(out, in, &begin, (size_t)(end - begin));

		if (copied < 0)
			return -1;
		if (!copied)
			break;
	}
	return 0;
}

static int copy_bytes(int in, int out, off_t size)
{
	off_t begin = 0;
	off_t end = 0;

	while (end < size && (begin = lseek(in, end, SEEK_DATA)) >= 0) {
		end = lseek(in, begin, SEEK_HOLE);
		if (end < 0 || copy_range(in, out, begin, end))
			return -1;
	}
	/* ENXIO: the rest of the file is a hole. */
	return begin < 0 && errno != ENXIO ? -1 : ftruncate(out, size);
}

static int copy_content(const char *from, const char *to,
			const struct stat *info)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
	int out = open(to, flags, info->st_mode & 07777);
	int result = -1;

	if (in >= 0 && out >= 0 && !copy_bytes(in, out, info->st_size))
		result = fchmod(out, info->st_mode & 07777);
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
	if (unlink(to) && errno != ENOENT)
		return -1;
	return symlink(target, to);
}

int copy_file(const char *from, const char *to, const struct stat *info)
{
	if (S_ISLNK(info->st_mode))
		return copy_link(from, to);
	return remove_link(to) ? -1 : copy_content(from, to, info);
}

int copy_folder(const char *to, const struct stat *info)
{
	struct stat there;

	if (remove_link(to))
		return -1;
	if (!mkdir(to, info->st_mode & 07777))
		return 0;
	if (errno != EEXIST || lstat(to, &there))
		return -1;
	errno = ENOTDIR;
	return S_ISDIR(there.st_mode) ? 0 : -1;
}
