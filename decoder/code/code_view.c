/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_view.h"
#include "common/array.h"
#include "common/error.h"
#include "common/file_map.h"
#include "decoder/code/code_change.h"
#include "decoder/code/code_image.h"
#include "decoder/code/code_region.h"
#include "decoder/code/code_unknown.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct code_view {
	const struct log *log;
	const struct array *changes; /* of the image: struct code_change */
	const struct array *unknown; /* likewise: struct code_unknown */
	struct array regions;	     /* struct code_region, ours if changed */
	int fd;			     /* of the copies; -1: there are none */
	uint64_t file_size;
	const struct code_region *last; /* found: most look-ups stay there */
	size_t next_change;
};

static int copy_region(struct code_view *view, struct code_region *region)
{
	if (view->fd < 0)
		view->fd = file_map_temporary(view->log);
	if (view->fd < 0)
		return -ERROR_SYSTEM;
	return code_region_copy(region, view->fd, &view->file_size, view->log);
}

static bool changes_ever(const struct code_view *view,
			 const struct code_region *region)
{
	for (size_t i = 0; i < view->changes->count; i++) {
		const struct code_change *change = array_at(view->changes, i);

		if (change->address - region->first < region->size_bytes)
			return true;
	}
	return false;
}

/* A private mapping cannot be had of code that begins within a page of its file. */
static int own_region(struct code_view *view, enum code_view_place place,
		      struct code_region *region)
{
	if (place == CODE_VIEW_MEMORY && code_region_map_private(region) == 0)
		return 0;
	return copy_region(view, region);
}

static int copy_regions(struct code_view *view, const struct array *copied,
			enum code_view_place place)
{
	int error = 0;

	for (size_t i = 0; i < copied->count && !error; i++) {
		struct code_region *region = array_add(&view->regions);

		if (!region)
			return -ERROR_MEMORY;
		*region = *(struct code_region *)array_at(copied, i);
		region->is_mapped = false;
		if (changes_ever(view, region))
			error = own_region(view, place, region);
	}
	return error;
}

static void write_bytes(struct code_view *view, uint64_t address,
			const uint8_t *bytes, size_t size)
{
	const struct code_region *region =
		code_region_find(&view->regions, address);

	if (!region || !size)
		return;

	uint64_t offset = address - region->first;

	if (size > region->size_bytes - offset)
		size = region->size_bytes - offset;
	memcpy((uint8_t *)(uintptr_t)region->bytes + offset, bytes, size);
}

/* The copy may be older or newer than any change: the first change's old
 * bytes are right before it whichever it is.
 */
static void undo_all(struct code_view *view)
{
	const struct array *changes = view->changes;

	for (size_t i = changes->count; i-- > 0;) {
		const struct code_change *change = array_at(changes, i);

		write_bytes(view, change->address, change->old_bytes,
			    change->old_size);
	}
}

int code_view_open(const struct code_image *image, enum code_view_place place,
		   struct code_view **opened)
{
	struct code_view *view = calloc(1, sizeof(*view));
	int error;

	if (!view)
		return -ERROR_MEMORY;
	view->log = code_image_log(image);
	view->changes = code_image_changes(image);
	view->unknown = code_image_unknown(image);
	view->regions = ARRAY_OF(struct code_region);
	view->fd = -1;
	error = copy_regions(view, code_image_regions(image), place);
	if (error)
		goto fail;
	undo_all(view);
	*opened = view;
	return 0;
fail:
	code_view_close(view);
	return error;
}

void code_view_close(struct code_view *view)
{
	if (!view)
		return;
	for (size_t i = 0; i < view->regions.count; i++)
		code_region_unmap(array_at(&view->regions, i));
	if (view->fd >= 0)
		close(view->fd);
	array_free(&view->regions);
	free(view);
}

const struct code_change *code_view_next_change(const struct code_view *view)
{
	const struct array *changes = view->changes;

	if (view->next_change == changes->count)
		return NULL;
	return array_at(changes, view->next_change);
}

const struct code_change *code_view_last_change(const struct code_view *view)
{
	if (!view->next_change)
		return NULL;
	return array_at(view->changes, view->next_change - 1);
}

void code_view_undo_change(struct code_view *view)
{
	const struct code_change *change = code_view_last_change(view);

	write_bytes(view, change->address, change->old_bytes, change->old_size);
	view->next_change--;
}

uint64_t code_view_next_change_ns(const struct code_view *view)
{
	const struct code_change *change = code_view_next_change(view);

	return change ? change->time_ns : UINT64_MAX;
}

void code_view_make_change(struct code_view *view)
{
	const struct code_change *change = code_view_next_change(view);

	write_bytes(view, change->address, change->new_bytes, change->new_size);
	view->next_change++;
}

const struct array *code_view_regions(const struct code_view *view)
{
	return &view->regions;
}

bool code_view_is_unknown(const struct code_view *view, uint64_t address)
{
	return !code_unknown_limit(view->unknown, address, 1);
}

const uint8_t *code_view_bytes(struct code_view *view, uint64_t address,
			       size_t *left)
{
	const struct code_region *region = view->last;

	if (!region || address - region->first >= region->size_bytes)
		region = code_region_find(&view->regions, address);
	if (!region)
		return NULL;
	view->last = region;
	*left = code_unknown_limit(view->unknown, address,
				   region->size_bytes -
					   (address - region->first));
	if (!*left)
		return NULL;
	return region->bytes + (address - region->first);
}
