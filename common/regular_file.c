/* SPDX-License-Identifier: MIT */
#include "common/regular_file.h"

#include "common/trusted_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

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

/* O_PATH does not open the file itself, which would have effects on a device.
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
