/* SPDX-License-Identifier: MIT */
#include "report/diff/diff_paths.h"

#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"

#include <stdlib.h>
#include <string.h>

struct diff_paths {
	struct array nodes; /* struct diff_path */
	struct array open;  /* uint32_t: the last path of each depth */
	struct string_pool *names;
	struct number_map children; /* index + 1 by parent and name */
	uint32_t recordings[2];
	int side;
};

struct diff_paths *diff_paths_new(void)
{
	struct diff_paths *paths = calloc(1, sizeof(*paths));

	if (!paths)
		return NULL;
	paths->nodes = ARRAY_OF(struct diff_path);
	paths->open = ARRAY_OF(uint32_t);
	paths->names = string_pool_new();
	if (paths->names)
		return paths;
	diff_paths_free(paths);
	return NULL;
}

void diff_paths_free(struct diff_paths *paths)
{
	if (!paths)
		return;
	array_free(&paths->nodes);
	array_free(&paths->open);
	string_pool_free(paths->names);
	number_map_free(&paths->children);
	free(paths);
}

static void fold(struct diff_paths *paths)
{
	for (uint32_t i = 0; i < diff_paths_count(paths); i++) {
		struct diff_path *path = array_at(&paths->nodes, i);

		for (int side = 0; side < 2; side++)
			diff_side_fold(&path->sides[side]);
	}
}

void diff_paths_begin(struct diff_paths *paths, int side)
{
	fold(paths);
	paths->open.count = 0;
	paths->side = side;
	paths->recordings[side]++;
}

void diff_paths_end(struct diff_paths *paths)
{
	fold(paths);
}

/* A function has two paths if one of them is interrupt work. */
static uint64_t key_of(uint32_t parent, uint32_t name, bool is_interrupt)
{
	return (uint64_t)(parent + 1) << 32 | name << 1 | is_interrupt;
}

/* Returns the path's index, or DIFF_PATH_NONE when out of memory. */
static uint32_t find(struct diff_paths *paths, uint32_t parent, uint32_t name,
		     bool is_interrupt)
{
	uint64_t *index = number_map_add(&paths->children,
					 key_of(parent, name, is_interrupt));
	struct diff_path *path;

	if (!index)
		return DIFF_PATH_NONE;
	if (!*index) {
		path = array_add(&paths->nodes);
		if (!path)
			return DIFF_PATH_NONE;
		path->parent = parent;
		path->name = name;
		path->is_interrupt = is_interrupt;
		*index = paths->nodes.count;
	}
	return (uint32_t)(*index - 1);
}

/* Returns the parent of a path at @depth. */
static uint32_t parent_at(const struct diff_paths *paths, uint32_t depth)
{
	return depth ? *(uint32_t *)array_at(&paths->open, depth - 1) :
		       DIFF_PATH_NONE;
}

int diff_paths_add(struct diff_paths *paths, uint32_t depth, const char *name,
		   bool is_interrupt, const struct diff_value *value)
{
	uint32_t number = string_pool_add(paths->names, name, strlen(name));
	struct diff_value *sum;
	uint32_t index;
	uint32_t *last;

	if (depth > paths->open.count)
		return -ERROR_FORMAT;
	if (number == STRING_POOL_NONE)
		return -ERROR_MEMORY;
	index = find(paths, parent_at(paths, depth), number, is_interrupt);
	paths->open.count = depth;
	last = array_add(&paths->open);
	if (index == DIFF_PATH_NONE || !last)
		return -ERROR_MEMORY;
	*last = index;
	sum = &((struct diff_path *)array_at(&paths->nodes, index))
		       ->sides[paths->side]
		       .current;
	sum->count += value->count;
	sum->total_ns += value->total_ns;
	return 0;
}

uint32_t diff_paths_count(const struct diff_paths *paths)
{
	return (uint32_t)paths->nodes.count;
}

const struct diff_path *diff_paths_at(const struct diff_paths *paths,
				      uint32_t index)
{
	return array_at(&paths->nodes, index);
}

const char *diff_paths_name(const struct diff_paths *paths, uint32_t index)
{
	return string_pool_text(paths->names,
				diff_paths_at(paths, index)->name);
}

const uint32_t *diff_paths_recordings(const struct diff_paths *paths)
{
	return paths->recordings;
}
