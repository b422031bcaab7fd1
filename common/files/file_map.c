/* SPDX-License-Identifier: MIT */
#include "common/files/file_map.h"

#include "common/error.h"
#include "common/files/output_folder.h"
#include "common/files/regular_file.h"
#include "common/log.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool pages_grow(struct pages *pages, size_t size)
{
	void *grown = pages->memory ? mremap(pages->memory, pages->size, size,
					     MREMAP_MAYMOVE) :
				      mmap(NULL, size, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (grown == MAP_FAILED)
		return false;
	*pages = (struct pages){ .memory = grown, .size = size };
	return true;
}

void pages_free(struct pages *pages)
{
	if (pages->memory)
		munmap(pages->memory, pages->size);
	*pages = (struct pages){ 0 };
}

size_t pages_release(const uint8_t *bytes, size_t from, size_t to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = ((uintptr_t)bytes + from + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)bytes + to) & ~(page - 1);

	if (start >= end)
		return from;
	madvise((void *)start, end - start, MADV_DONTNEED);
	return end - (uintptr_t)bytes;
}

int file_map_open_fd(struct file_map *map, int fd)
{
	struct stat stat;

	*map = (struct file_map){ 0 };
	if (fstat(fd, &stat) < 0)
		return -ERROR_SYSTEM;
	if (!S_ISREG(stat.st_mode)) {
		errno = EINVAL;
		return -ERROR_SYSTEM;
	}
	if (!stat.st_size)
		return 0;

	void *bytes =
		mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		return -ERROR_SYSTEM;
	map->bytes = bytes;
	map->size = (size_t)stat.st_size;
	return 0;
}

/* Maps the file open as @fd. If @fd is -1, logs that it could not be opened, by
 * the errno of that attempt.
 */
static int map_as(struct file_map *map, int fd, const char *path,
		  const struct log *log)
{
	int error = 0;

	*map = (struct file_map){ 0 };
	if (fd < 0)
		error = errno == ENOENT ? -ERROR_NOT_FOUND : -ERROR_SYSTEM;
	else
		error = file_map_open_fd(map, fd);
	if (error)
		log_message(log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "cannot read: %s", regular_file_error(errno));
	return error;
}

/* Like map_as(), but closes @fd. */
static int open_as(struct file_map *map, int fd, const char *path,
		   const struct log *log)
{
	int error = map_as(map, fd, path, log);

	if (fd >= 0)
		close(fd);
	return error;
}

int file_map_open(struct file_map *map, const char *path, const struct log *log)
{
	return open_as(map, regular_file_open(path), path, log);
}

int file_map_open_kept(struct file_map *map, const char *path,
		       const struct log *log, int *fd)
{
	int error;

	*fd = regular_file_open(path);
	error = map_as(map, *fd, path, log);
	if (error && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	return error;
}

int file_map_open_beneath(struct file_map *map, const char *folder,
			  const char *name, const struct log *log)
{
	return open_as(map, regular_file_open_beneath(folder, name), name, log);
}

void file_map_close(struct file_map *map)
{
	if (map->bytes)
		munmap((void *)(uintptr_t)map->bytes, map->size);
	*map = (struct file_map){ 0 };
}

int file_map_temporary(const struct log *log)
{
	int fd = output_temporary_file(log);

	return fd < 0 ? -ERROR_SYSTEM : fd;
}

int file_map_put(int fd, const uint8_t *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -ERROR_SYSTEM;
		bytes += written;
		size -= (size_t)written;
	}
	return 0;
}

int file_map_append(int fd, const uint8_t *bytes, size_t size,
		    const struct log *log)
{
	return file_map_put(fd, bytes, size) ? output_temporary_fail(log) : 0;
}
