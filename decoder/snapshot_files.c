/* SPDX-License-Identifier: MIT */
#include "decoder/snapshot_files.h"
#include "common/arena.h"
#include "common/error.h"
#include "decoder/recording_parts.h"

#include <stdio.h>
#include <string.h>

struct snapshot_files snapshot_files_new(const struct recording *recording)
{
	return (struct snapshot_files){
		.recording = recording,
		.maps = ARRAY_OF(struct file_map),
	};
}

void snapshot_files_free(struct snapshot_files *files)
{
	for (size_t i = 0; i < files->maps.count; i++)
		file_map_close(array_at(&files->maps, i));
	array_free(&files->maps);
}

static const char *path_of(const struct recording *recording, const char *name)
{
	size_t room = strlen(recording->path) + strlen(name) + 2;
	char *path = arena_alloc(recording->arena, room);

	if (path)
		snprintf(path, room, "%s/%s", recording->path, name);
	return path;
}

int snapshot_files_open(struct snapshot_files *files, const char *name,
			const char **path, const struct file_map **opened)
{
	struct file_map *map = array_add(&files->maps);

	*path = path_of(files->recording, name);
	if (!map || !*path)
		return -ERROR_MEMORY;
	*opened = map;
	return file_map_open(map, *path, files->recording->log);
}
