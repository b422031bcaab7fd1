/* SPDX-License-Identifier: MIT */
#include "decoder/snapshot/snapshot_region.h"
#include "common/array.h"
#include "common/error.h"
#include "common/file_map.h"
#include "decoder/code/code_region.h"
#include "decoder/recording/recording_files.h"
#include "decoder/snapshot/snapshot_device.h"

#include <stdbool.h>

static bool overlaps(const struct array *regions, uint64_t first,
		     uint64_t size_bytes)
{
	for (size_t i = 0; i < regions->count; i++) {
		const struct code_region *region = array_at(regions, i);

		if (first < region->first + region->size_bytes &&
		    region->first < first + size_bytes)
			return true;
	}
	return false;
}

int snapshot_region_add(struct recording *recording,
			const struct snapshot_dump *dump, struct array *regions)
{
	const struct file_map *map;
	struct code_region *region;
	const char *path;
	uint64_t size;
	int error;

	if (overlaps(regions, dump->address, 1))
		return 0;
	error = recording_map_file(recording, dump->file, &path, &map);
	if (error == -ERROR_MEMORY)
		return error;
	/* Missing memory shows as gaps where it would have been used. */
	if (error || dump->file_offset >= map->size)
		return 0;
	size = map->size - dump->file_offset;
	if (dump->size_bytes < size)
		size = dump->size_bytes;
	if (!size || dump->address + size < dump->address ||
	    overlaps(regions, dump->address, size))
		return 0;
	region = array_add(regions);
	if (!region)
		return -ERROR_MEMORY;
	region->first = dump->address;
	region->size_bytes = size;
	region->file_path = path;
	region->file_offset = dump->file_offset;
	region->bytes = map->bytes + dump->file_offset;
	code_region_sort(regions);
	return 0;
}
