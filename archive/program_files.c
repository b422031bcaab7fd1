/* SPDX-License-Identifier: MIT */
#include "archive/program_files.h"

#include "common/error.h"
#include "common/memory.h"
#include "common/regular_file.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/elf/elf_file.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int add(struct array *files, const char *path, const char *name)
{
	struct program_file *file = array_add(files);

	if (!file)
		return -ERROR_MEMORY;
	file->path = strdup(path);
	file->name = strdup(name);
	return file->path && file->name ? 0 : -ERROR_MEMORY;
}

static int compare_name(const void *a, const void *b)
{
	const struct program_file *one = a;
	const struct program_file *other = b;

	return strcmp(one->name ? one->name : "",
		      other->name ? other->name : "");
}

static void free_file(struct program_file *file)
{
	free(file->path);
	free(file->name);
}

/* Sorts the list and removes duplicates. */
static void make_unique(struct array *files)
{
	size_t kept = 0;

	array_sort(files, compare_name);
	for (size_t i = 0; i < files->count; i++) {
		struct program_file *file = array_at(files, i);

		if (kept && !compare_name(array_at(files, kept - 1), file))
			free_file(file);
		else
			*(struct program_file *)array_at(files, kept++) = *file;
	}
	files->count = kept;
}

/* A recording from an untrusted source may name any file of this machine. */
static bool is_elf(const char *path)
{
	int fd = *path ? regular_file_open(path) : -1;
	char magic[SELFMAG];
	bool is_read = fd >= 0 && read(fd, magic, SELFMAG) == SELFMAG;

	if (fd >= 0)
		close(fd);
	return is_read && !memcmp(magic, ELFMAG, SELFMAG);
}

static int add_map(const struct recording *recording,
		   const struct sideband_mmap *map, struct arena *arena,
		   struct array *files)
{
	const char *path;

	if (map->kernel || !map->executable || map->path[0] != '/' ||
	    map->path[1] == '/' || regular_file_goes_up(map->path))
		return 0;
	path = recording_user_path(recording, map->path, arena);
	if (!path)
		return -ERROR_MEMORY;
	if (!is_elf(path) || !recording_has_program(recording, map, path))
		return 0;
	return add(files, path, map->path);
}

static int add_maps(const struct recording *recording, struct arena *arena,
		    struct array *files)
{
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_MMAP));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	while (sideband && (status = sideband_next(sideband, &record)) > 0) {
		status = add_map(recording, &record.mmap, arena, files);
		/* Each process lists the same libraries: remove duplicates now
		 * and then.
		 */
		if (files->count % 4096 == 4095)
			make_unique(files);
		if (status)
			break;
	}
	sideband_close(sideband);
	make_unique(files);
	return status;
}

/* Adds the debug file of @file, if it has a separate one. */
static int add_debug_file(const struct program_file *file, struct array *files)
{
	const char *slash = strrchr(file->name, '/');
	char *path = elf_file_debug_path(file->path);
	char name[PATH_MAX];
	int length;
	int error;

	if (!path)
		return 0;
	length = snprintf(name, sizeof(name), "%.*s/.debug/%s",
			  (int)(slash - file->name), file->name,
			  strrchr(path, '/') + 1);
	error = length < (int)sizeof(name) ? add(files, path, name) : 0;
	free(path);
	return error;
}

int program_files_find(const struct recording *recording, struct array *files)
{
	struct arena *arena = arena_new();
	int error = -ERROR_MEMORY;
	size_t count;

	*files = ARRAY_OF(struct program_file);
	if (arena)
		error = add_maps(recording, arena, files);
	count = files->count;
	for (size_t i = 0; i < count && !error; i++) {
		/* A copy, since adding moves the list. */
		const struct program_file file =
			*(struct program_file *)array_at(files, i);

		error = add_debug_file(&file, files);
	}
	make_unique(files);
	arena_free(arena);
	return error;
}

void program_files_free(struct array *files)
{
	for (size_t i = 0; i < files->count; i++)
		free_file(array_at(files, i));
	array_free(files);
}
