/* SPDX-License-Identifier: MIT */
#include "decoder/recording/record_walk.h"

#include "common/error.h"
#include "common/files/file_map.h"
#include "common/files/regular_file.h"
#include "common/log.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

static void close_part(struct data_part *part)
{
	if (part->fd >= 0)
		close(part->fd);
	part->fd = -1;
}

void data_file_close_parts(struct data_file *file)
{
	for (size_t i = 0; i < file->parts.count; i++)
		close_part(array_at(&file->parts, i));
	array_free(&file->parts);
}

/* Limit of the parts that are read by their descriptors. */
enum { MOST_OPEN_PARTS = 256 };

static bool is_packed(const struct data_part *part)
{
	return strchr(part->name, 'z');
}

/* Returns whether @name is data.NUMBER or data.NUMBER.zst. */
static bool is_part(const char *name, struct data_part *part)
{
	char plain[sizeof(part->name)];
	char packed[sizeof(part->name)];

	*part = (struct data_part){ .fd = -1 };
	if (sscanf(name, "data.%u", &part->number) != 1)
		return false;
	snprintf(plain, sizeof(plain), "data.%u", part->number);
	snprintf(packed, sizeof(packed), "data.%u.zst", part->number);
	if (strcmp(name, plain) && strcmp(name, packed))
		return false;
	strcpy(part->name, name);
	return true;
}

static int compare_part(const void *a, const void *b)
{
	const struct data_part *one = a;
	const struct data_part *other = b;

	return (one->number > other->number) - (one->number < other->number);
}

static int list_parts(struct data_file *file, const char *folder)
{
	DIR *names = opendir(folder);
	struct dirent *entry;
	int error = 0;

	while (names && !error && (entry = readdir(names))) {
		struct data_part part;

		if (is_part(entry->d_name, &part))
			error = array_append(&file->parts, &part);
	}
	if (names)
		closedir(names);
	array_sort(&file->parts, compare_part);
	return error;
}

/* Appends the content of @map, decompressed, to the file open as @fd, up to
 * where it is damaged or ends too early, which *@reason names then. Returns 0 or
 * -ERROR_SYSTEM.
 */
static int decompress(const struct file_map *map, int fd, const struct log *log,
		      const char **reason)
{
	ZSTD_DStream *zstd = ZSTD_createDStream();
	ZSTD_inBuffer in = { map->bytes, map->size, 0 };
	uint64_t size = 0;
	size_t left = map->size;
	uint8_t chunk[128 * 1024];
	int error = 0;

	*reason = zstd ? NULL : "out of memory";
	while (!error && !*reason && left) {
		ZSTD_outBuffer out = { chunk, sizeof(chunk), 0 };
		size_t before = in.pos;

		left = ZSTD_decompressStream(zstd, &out, &in);
		if (ZSTD_isError(left))
			*reason = "it does not decompress";
		else if (left && !out.pos && in.pos == before)
			*reason = "it ends too early";
		else if (is_more_than_recorded(map->size, size += out.pos))
			*reason = "it decompresses to more than any recorder's "
				  "would";
		else
			error = file_map_append(fd, chunk, out.pos, log);
	}
	ZSTD_freeDStream(zstd);
	return error;
}

/* Replaces the descriptor of @part by one of its decompressed content. */
static int unpack_part(const struct data_file *file, struct data_part *part,
		       const char *path)
{
	struct file_map packed;
	const char *reason = NULL;
	int fd = file_map_temporary(file->log);
	int error = fd < 0 ? -ERROR_SYSTEM : 0;

	if (!error)
		error = file_map_open_fd(&packed, part->fd);
	if (!error) {
		error = decompress(&packed, fd, file->log, &reason);
		file_map_close(&packed);
	}
	if (reason)
		log_message(file->log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "%s; what follows is not used", reason);
	close(part->fd);
	part->fd = fd;
	return error;
}

/* Opens @part and finds its size, which is 0 if it cannot be read. */
static int open_part(const struct data_file *file, const char *folder,
		     struct data_part *part)
{
	char path[PATH_MAX];
	struct stat stat;
	int error = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, part->name);
	part->fd = regular_file_open_beneath(folder, part->name);
	if (part->fd < 0) {
		log_message(file->log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "left out: %s", regular_file_error(errno));
		return 0;
	}
	if (is_packed(part))
		error = unpack_part(file, part, path);
	if (!error && fstat(part->fd, &stat) < 0)
		error = -ERROR_SYSTEM;
	if (!error)
		part->size = (uint64_t)stat.st_size;
	return error;
}

static bool map_at(uint8_t *to, int fd, uint64_t size)
{
	return !size || mmap(to, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd,
			     0) != MAP_FAILED;
}

/* Maps the file and its parts into one range of addresses. */
static int map_parts(struct data_file *file)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct data_part *parts = file->parts.items;
	uint64_t end = file->map.size;
	uint8_t *bytes;
	bool is_mapped;

	for (size_t i = 0; i < file->parts.count; i++) {
		parts[i].start = (end + page - 1) & -page;
		end = parts[i].start + parts[i].size;
	}
	bytes = mmap(NULL, end, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return -ERROR_MEMORY;
	is_mapped = map_at(bytes, file->fd, file->map.size);
	for (size_t i = 0; i < file->parts.count && is_mapped; i++)
		is_mapped = map_at(bytes + parts[i].start, parts[i].fd,
				   parts[i].size);
	if (!is_mapped) {
		munmap(bytes, end);
		return -ERROR_MEMORY;
	}
	file_map_close(&file->map);
	file->map = (struct file_map){ bytes, end };
	return 0;
}

int data_file_add_parts(struct data_file *file, const char *folder)
{
	int error = list_parts(file, folder);
	struct data_part *parts = file->parts.items;

	for (size_t i = 0; i < file->parts.count && !error; i++)
		error = open_part(file, folder, &parts[i]);
	if (!error && file->parts.count)
		error = map_parts(file);
	for (size_t i = MOST_OPEN_PARTS; i < file->parts.count; i++)
		close_part(&parts[i]);
	return error;
}
