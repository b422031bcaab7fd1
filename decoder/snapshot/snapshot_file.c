/* SPDX-License-Identifier: MIT */
#include "decoder/snapshot/snapshot_file.h"
#include "common/arena.h"
#include "common/error.h"
#include "decoder/recording/recording_parts.h"

#include <stdio.h>
#include <string.h>

static const char *path_of(const struct recording *recording, const char *name)
{
	size_t room = strlen(recording->path) + strlen(name) + 2;
	char *path = arena_alloc(recording->arena, room);

	if (path)
		snprintf(path, room, "%s/%s", recording->path, name);
	return path;
}

int snapshot_file_open(struct recording *recording, const char *name,
		       const char **path, const struct file_map **opened)
{
	struct file_map *map = array_add(&recording->maps);

	*path = path_of(recording, name);
	if (!map || !*path)
		return -ERROR_MEMORY;
	*opened = map;
	return file_map_open_beneath(map, recording->path, name,
				     recording->log);
}
