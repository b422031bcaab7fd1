/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_image.h"
#include "decoder/code/code_change.h"
#include "decoder/code/code_image_parts.h"
#include "decoder/code/code_region.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void code_image_close(struct code_image *image)
{
	if (!image)
		return;
	for (size_t i = 0; i < image->regions.count; i++)
		code_region_unmap(array_at(&image->regions, i));
	for (size_t i = 0; i < image->descriptors.count; i++)
		close(*(int *)array_at(&image->descriptors, i));
	if (image->spare_fd >= 0)
		close(image->spare_fd);
	for (size_t i = 0; i < image->maps.count; i++)
		file_map_close(array_at(&image->maps, i));
	array_free(&image->regions);
	array_free(&image->changes);
	array_free(&image->descriptors);
	array_free(&image->maps);
	array_free(&image->unknown);
	file_map_close(&image->kcore);
	free(image);
}

/* Copies what @bytes at @from has in common with the buffer. */
static void overlay(uint8_t *buffer, uint64_t address, size_t size,
		    const uint8_t *bytes, uint64_t from, size_t from_size)
{
	uint64_t skipped = from < address ? address - from : 0;
	uint64_t at = from < address ? 0 : from - address;
	uint64_t count;

	if (skipped >= from_size || at >= size)
		return;
	count = from_size - skipped;
	if (count > size - at)
		count = size - at;
	memcpy(buffer + at, bytes + skipped, count);
}

/* As it was at first: undo from the last change back; then forwards. */
static void apply_changes(const struct code_image *image, uint64_t time_ns,
			  uint64_t address, uint8_t *buffer, size_t size)
{
	const struct array *changes = &image->changes;

	for (size_t i = changes->count; i-- > 0;) {
		const struct code_change *change = array_at(changes, i);

		overlay(buffer, address, size, change->old_bytes,
			change->address, change->old_size);
	}
	for (size_t i = 0; i < changes->count; i++) {
		const struct code_change *change = array_at(changes, i);

		if (change->time_ns > time_ns)
			break;
		overlay(buffer, address, size, change->new_bytes,
			change->address, change->new_size);
	}
}

size_t code_image_read(const struct code_image *image, uint64_t time_ns,
		       uint64_t address, uint8_t *buffer, size_t size)
{
	const struct code_region *region =
		code_region_find(&image->regions, address);

	if (!region)
		return 0;

	uint64_t offset = address - region->first;

	if (size > region->size_bytes - offset)
		size = region->size_bytes - offset;
	memcpy(buffer, region->bytes + offset, size);
	apply_changes(image, time_ns, address, buffer, size);
	return size;
}
