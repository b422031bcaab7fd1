/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Accepts the names that record uses, and files in such a folder. */
static bool is_named_so(const char *path)
{
	const char *name = strstr(path, ".data");

	return name &&
	       (!name[5] || name[5] == '/' || !strcmp(name, ".data.old"));
}

static bool is_regular(int directory, const char *path)
{
	struct stat stat;

	return fstatat(directory, path, &stat, 0) == 0 && S_ISREG(stat.st_mode);
}

/* Returns whether the file starts like a perf.data file. Of an unreadable file
 * the name decides, so that the reader reports the error.
 */
static bool is_perf_data(int directory, const char *path)
{
	char magic[8];
	int fd = is_regular(directory, path) ?
			 openat(directory, path, O_RDONLY | O_CLOEXEC) :
			 -1;
	ssize_t size = fd < 0 ? -1 : read(fd, magic, sizeof(magic));

	if (fd < 0 && errno == EACCES)
		return is_named_so(path);
	if (fd >= 0)
		close(fd);
	return size == sizeof(magic) && memcmp(magic, "PERFILE2", 8) == 0;
}

/* Fills @stat for the recording @name; returns false if it is not one. */
static bool stat_recording(int directory, const char *name, struct stat *stat)
{
	char data[NAME_MAX + 8];

	if (fstatat(directory, name, stat, 0) < 0)
		return false;
	if (S_ISREG(stat->st_mode))
		return is_perf_data(directory, name);
	if (!S_ISDIR(stat->st_mode))
		return false;
	snprintf(data, sizeof(data), "%s/data", name);
	if (fstatat(directory, data, stat, 0) < 0)
		return errno == EACCES && is_named_so(name);
	return is_perf_data(directory, data);
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec :
					a->tv_nsec > b->tv_nsec;
}

char *find_last_recording(void)
{
	DIR *here = opendir(".");
	struct timespec newest = { 0 };
	struct dirent *entry;
	char *found = NULL;

	while (here && (entry = readdir(here))) {
		struct stat stat;

		if (entry->d_name[0] == '.' ||
		    !stat_recording(dirfd(here), entry->d_name, &stat) ||
		    (found && !is_newer(&stat.st_mtim, &newest)))
			continue;
		newest = stat.st_mtim;
		free(found);
		found = strdup(entry->d_name);
	}
	if (here)
		closedir(here);
	return found;
}
