/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/recording/memory_files.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/files/regular_file.h"
#include "common/log.h"

#include <dirent.h>
#include <errno.h>
#include <intel-pt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Global, as a fuzz entry is one process with one input at a time. Between
 * inputs libFuzzer accesses real files.
 */
static const struct packed_files *present;

/* Files that libipt opened by name; they stay open until the next input. */
enum { SECTIONS_MOST = 64 };
static int sections[SECTIONS_MOST];
static size_t section_count;

/* The folder being listed. */
static struct {
	const char *prefix;
	size_t next;
	struct dirent entry;
} listing;

/* clang-format off */
int __wrap_access(const char *path, int mode);
int __real_access(const char *path, int mode);
int __wrap_stat(const char *path, struct stat *stat);
int __real_stat(const char *path, struct stat *stat);
char *__wrap_realpath(const char *path, char *resolved);
char *__real_realpath(const char *path, char *resolved);
DIR *__wrap_opendir(const char *path);
DIR *__real_opendir(const char *path);
struct dirent *__wrap_readdir(DIR *folder);
struct dirent *__real_readdir(DIR *folder);
int __wrap_closedir(DIR *folder);
int __real_closedir(DIR *folder);
int __wrap_regular_file_open(const char *path);
int __wrap_file_map_open(struct file_map *map, const char *path,
			 const struct log *log);
int __wrap_file_map_open_kept(struct file_map *map, const char *path,
			      const struct log *log, int *fd);
int __wrap_file_map_open_beneath(struct file_map *map, const char *folder,
				 const char *name, const struct log *log);
int __wrap_file_map_open_fd(struct file_map *map, int fd);
void __wrap_file_map_close(struct file_map *map);
int __wrap_file_map_temporary(const struct log *log);
int __wrap_madvise(void *bytes, size_t size, int advice);
int __wrap_pt_iscache_add_file(struct pt_image_section_cache *cache,
			       const char *path, uint64_t offset,
			       uint64_t size, uint64_t address);
int __real_pt_iscache_add_file(struct pt_image_section_cache *cache,
			       const char *path, uint64_t offset,
			       uint64_t size, uint64_t address);
/* clang-format on */

void memory_files_set(const struct packed_files *files)
{
	present = files;
	while (section_count)
		close(sections[--section_count]);
}

/* Returns the part of @path after the folder, NULL if @path is not in it. */
static const char *name_of(const char *path)
{
	size_t length = strlen(MEMORY_FOLDER);

	if (strncmp(path, MEMORY_FOLDER, length) != 0)
		return NULL;
	path += length;
	while (*path == '/')
		path++;
	return path;
}

static const struct packed_file *find(const char *path)
{
	const char *name = name_of(path);

	return name && present ? packed_files_find(present, name) : NULL;
}

static bool is_folder(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	if (!name || !length)
		return name;
	for (size_t i = 0; present && i < present->count; i++)
		if (!strncmp(present->files[i].name, name, length) &&
		    present->files[i].name[length] == '/')
			return true;
	return false;
}

static bool exists(const char *path)
{
	return find(path) || is_folder(name_of(path));
}

static int refuse(int error)
{
	errno = error;
	return -1;
}

int __wrap_access(const char *path, int mode)
{
	if (!present)
		return __real_access(path, mode);
	return exists(path) ? 0 : refuse(ENOENT);
}

int __wrap_stat(const char *path, struct stat *stat)
{
	const struct packed_file *file = find(path);

	if (!present)
		return __real_stat(path, stat);
	memset(stat, 0, sizeof(*stat));
	if (!exists(path))
		return refuse(ENOENT);
	stat->st_mode = file ? S_IFREG | 0600 : S_IFDIR | 0700;
	stat->st_size = file ? (off_t)file->size : 0;
	return 0;
}

char *__wrap_realpath(const char *path, char *resolved)
{
	if (!present)
		return __real_realpath(path, resolved);
	if (!exists(path)) {
		errno = ENOENT;
		return NULL;
	}
	snprintf(resolved, PATH_MAX, "%s", path);
	return resolved;
}

DIR *__wrap_opendir(const char *path)
{
	if (!present)
		return __real_opendir(path);
	listing.prefix = name_of(path);
	listing.next = 0;
	return is_folder(listing.prefix) ? (DIR *)(void *)&listing : NULL;
}

struct dirent *__wrap_readdir(DIR *folder)
{
	if (!present)
		return __real_readdir(folder);

	size_t length = strlen(listing.prefix);

	while (listing.next < present->count) {
		const char *name = present->files[listing.next++].name;

		if (strncmp(name, listing.prefix, length) != 0 ||
		    name[length] != '/')
			continue;
		snprintf(listing.entry.d_name, sizeof(listing.entry.d_name),
			 "%s", name + length + 1);
		return &listing.entry;
	}
	return NULL;
}

int __wrap_closedir(DIR *folder)
{
	return present ? 0 : __real_closedir(folder);
}

static int new_file(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		abort();
	return fd;
}

int __wrap_regular_file_open(const char *path)
{
	const struct packed_file *file = find(path);

	return file ? new_file(file->bytes, file->size) : refuse(ENOENT);
}

static int map_file(struct file_map *map, const struct packed_file *file,
		    const char *path, const struct log *log)
{
	*map = (struct file_map){ 0 };
	if (!file) {
		log_message(log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "cannot read: it is not there");
		return -ERROR_NOT_FOUND;
	}
	if (!file->size)
		return 0;

	uint8_t *bytes = malloc(file->size);

	if (!bytes)
		abort();
	memcpy(bytes, file->bytes, file->size);
	map->bytes = bytes;
	map->size = file->size;
	return 0;
}

int __wrap_file_map_open(struct file_map *map, const char *path,
			 const struct log *log)
{
	return map_file(map, find(path), path, log);
}

int __wrap_file_map_open_kept(struct file_map *map, const char *path,
			      const struct log *log, int *fd)
{
	*fd = -1;
	return map_file(map, find(path), path, log);
}

int __wrap_file_map_open_beneath(struct file_map *map, const char *folder,
				 const char *name, const struct log *log)
{
	char path[PATH_MAX];

	if (*name == '/' || regular_file_goes_up(name))
		return map_file(map, NULL, name, log);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return map_file(map, find(path), name, log);
}

int __wrap_file_map_open_fd(struct file_map *map, int fd)
{
	struct stat stat;

	*map = (struct file_map){ 0 };
	if (fstat(fd, &stat) < 0)
		abort();
	if (!stat.st_size)
		return 0;

	uint8_t *bytes = malloc((size_t)stat.st_size);

	if (!bytes || pread(fd, bytes, (size_t)stat.st_size, 0) < 0)
		abort();
	map->bytes = bytes;
	map->size = (size_t)stat.st_size;
	return 0;
}

void __wrap_file_map_close(struct file_map *map)
{
	free((void *)(uintptr_t)map->bytes);
	*map = (struct file_map){ 0 };
}

int __wrap_file_map_temporary(const struct log *log)
{
	(void)log;
	return memfd_create("temporary", MFD_CLOEXEC);
}

/* Does nothing: the memory is no file mapping here, so dropped pages would be
 * lost.
 */
int __wrap_madvise(void *bytes, size_t size, int advice)
{
	(void)bytes;
	(void)size;
	(void)advice;
	return 0;
}

/* Paths in /proc/self/fd are descriptors opened by the program itself. */
int __wrap_pt_iscache_add_file(struct pt_image_section_cache *cache,
			       const char *path, uint64_t offset, uint64_t size,
			       uint64_t address)
{
	const struct packed_file *file = find(path);
	char name[64];

	if (!strncmp(path, "/proc/self/fd/", 14))
		return __real_pt_iscache_add_file(cache, path, offset, size,
						  address);
	if (!file || section_count == SECTIONS_MOST)
		return -pte_bad_file;
	sections[section_count] = new_file(file->bytes, file->size);
	snprintf(name, sizeof(name), "/proc/self/fd/%d",
		 sections[section_count++]);
	return __real_pt_iscache_add_file(cache, name, offset, size, address);
}
