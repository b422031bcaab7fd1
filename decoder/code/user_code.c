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
	/* The mapping found last, which most look-ups hit, and the addresses
	 * around it at which no later mapping replaces it.
	 */
	const struct process_map *last;
	const struct code_file *last_file;
	uint64_t last_begin;
	uint64_t last_end;
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

/* Sets the addresses around @address at which @map, one of the mappings, is
 * valid.
 */
static void find_bounds(struct user_code *code, const struct process_map *map,
			uint64_t address)
{
	const struct process_map *maps = code->maps->items;

	code->last_begin = map->address;
	code->last_end = map->address + map->size_bytes;
	for (const struct process_map *later = map + 1;
	     later < maps + code->maps->count; later++) {
		uint64_t end = later->address + later->size_bytes;

		if (later->address > address && later->address < code->last_end)
			code->last_end = later->address;
		if (end <= address && end > code->last_begin)
			code->last_begin = end;
	}
}

/* Makes the mapping at @address the last one. Returns false if there is none. */
static bool find_last(struct user_code *code, uint64_t address)
{
	const struct process_map *map = code->last;

	if (map &&
	    address - code->last_begin < code->last_end - code->last_begin)
		return true;
	map = find_map(code, address);
	if (!map)
		return false;
	code->last = map;
	code->last_file = find_file(code, map->path);
	find_bounds(code, map, address);
	return true;
}

static const uint8_t *file_bytes(const struct user_code *code, uint64_t address,
				 size_t *left)
{
	const struct process_map *map = code->last;
	const struct code_file *file = code->last_file;
	uint64_t offset = map->file_offset + (address - map->address);

	if (!file || offset >= file->map.size)
		return NULL;
	*left = file->map.size - offset;
	return file->map.bytes + offset;
}

const uint8_t *user_code_bytes(struct user_code *code, uint64_t address,
			       size_t *left)
{
	const uint8_t *bytes;

	if (!find_last(code, address))
		return NULL;
	if (code->last->image)
		bytes = generated_image_bytes(code->last->image, address, left);
	else
		bytes = file_bytes(code, address, left);
	if (bytes && *left > code->last_end - address)
		*left = code->last_end - address;
	return bytes;
}

bool user_code_is_generated(const struct user_code *code, uint64_t address)
{
	const struct process_map *map = find_map(code, address);

	return map && map->image;
}
