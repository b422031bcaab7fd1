/* SPDX-License-Identifier: MIT */
#include "decoder/code/user_code.h"
#include "common/array.h"
#include "common/files/file_map.h"
#include "decoder/code/process_maps.h"
#include "decoder/recording/generated_code.h"

#include <stdlib.h>
#include <string.h>

/* A file that was needed; empty if it cannot be read. */
struct code_file {
	const char *path;
	struct file_map map;
};

struct user_code {
	struct array files; /* struct code_file */
	const struct array *maps;
	/* the mapping found last: most look-ups hit it */
	const struct process_map *last;
	const struct code_file *last_file;
};

struct user_code *user_code_new(void)
{
	struct user_code *code = calloc(1, sizeof(*code));

	if (code)
		code->files = ARRAY_OF(struct code_file);
	return code;
}

void user_code_free(struct user_code *code)
{
	if (!code)
		return;
	for (size_t i = 0; i < code->files.count; i++) {
		struct code_file *file = array_at(&code->files, i);

		file_map_close(&file->map);
	}
	array_free(&code->files);
	free(code);
}

void user_code_set_maps(struct user_code *code, const struct array *maps)
{
	code->maps = maps;
	code->last = NULL;
}

static const struct process_map *find_map(const struct user_code *code,
					  uint64_t address)
{
	return code->maps ? process_maps_find(code->maps, address) : NULL;
}

static const struct code_file *find_file(struct user_code *code,
					 const char *path)
{
	struct code_file *file;

	for (size_t i = 0; i < code->files.count; i++) {
		file = array_at(&code->files, i);
		if (!strcmp(file->path, path))
			return file;
	}
	file = array_add(&code->files);
	if (!file)
		return NULL;
	file->path = path;
	if (path[0] == '/')
		file_map_open(&file->map, path, NULL);
	return file;
}

const uint8_t *user_code_bytes(struct user_code *code, uint64_t address,
			       size_t *left)
{
	const struct process_map *map = code->last;

	if (!map || address - map->address >= map->size_bytes) {
		map = find_map(code, address);
		if (!map)
			return NULL;
		code->last = map;
		code->last_file = find_file(code, map->path);
	}

	if (map->image)
		return generated_image_bytes(map->image, address, left);

	uint64_t in_map = address - map->address;
	uint64_t offset = map->file_offset + in_map;
	const struct code_file *file = code->last_file;

	if (!file || offset >= file->map.size)
		return NULL;
	*left = file->map.size - offset;
	if (*left > map->size_bytes - in_map)
		*left = map->size_bytes - in_map;
	return file->map.bytes + offset;
}

bool user_code_is_generated(const struct user_code *code, uint64_t address)
{
	const struct process_map *map = find_map(code, address);

	return map && map->image;
}
