/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_view.h"
#include "common/array.h"
#include "common/error.h"
#include "common/file_map.h"
#include "decoder/code/code_change.h"
#include "decoder/code/code_image.h"
#include "decoder/code/code_known.h"
#include "decoder/code/code_region.h"
#include "decoder/code/code_unknown.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RESTORED_AT_ONCE = 4096 };

struct code_view {
	const struct log *log;
	const struct code_image *image;
	const struct array *changes; /* of the image: struct code_change */
	const struct array *unknown; /* of the image: struct code_unknown */
	/* struct code_region, a copy of its own if it ever changes */
	struct array regions;
	/* struct code_known, at the current time */
	struct array known;
	/* changes were reverted since @known was made */
	bool is_known_old;
	/* the range of @known used last: most look-ups hit it */
	struct code_known last_known;
	/* of the file with copied regions; -1: none */
	int fd;
	uint64_t file_size;
	/* the region found last: most look-ups hit it */
	const struct code_region *last;
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

		if (change->kind != CODE_LOSS &&
		    change->address < region->first + region->size_bytes &&
		    region->first < change->address + change->new_size)
			return true;
	}
	return false;
}

/* Code that does not start at a page boundary of its file cannot be mapped
 * privately.
 */
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

/* Writes @bytes to the regions at @address; skips addresses in no region. */
static void write_bytes(struct code_view *view, uint64_t address,
			const uint8_t *bytes, size_t size)
{
	size_t done = 0;

	while (bytes && done < size) {
		const struct code_region *region =
			code_region_next(&view->regions, address + done);
		uint64_t offset;
		size_t count;

		if (!region || region->first >= address + size)
			return;
		if (region->first > address + done)
			done = region->first - address;
		offset = address + done - region->first;
		count = size - done;
		if (count > region->size_bytes - offset)
			count = region->size_bytes - offset;
		memcpy((uint8_t *)(uintptr_t)region->bytes + offset,
		       bytes + done, count);
		done += count;
	}
}

/* Reverts the code to before the first change. The copy may be older or newer
 * than any change: writing the old bytes of all of them, the first change's
 * last, is right in any case.
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

/* Computes the known ranges from the start of the recording up to the current
 * time.
 */
static int know(struct code_view *view)
{
	const struct array *known = code_image_known(view->image);
	int error = 0;

	view->known.count = 0;
	view->last_known = (struct code_known){ 0 };
	view->is_known_old = false;
	for (size_t i = 0; i < known->count && !error; i++)
		error = array_append(&view->known, array_at(known, i));
	for (size_t i = 0; i < view->next_change && !error; i++)
		error = code_change_know(array_at(view->changes, i),
					 &view->known);
	return error;
}

int code_view_open(const struct code_image *image, enum code_view_place place,
		   struct code_view **opened)
{
	struct code_view *view = calloc(1, sizeof(*view));
	int error;

	if (!view)
		return -ERROR_MEMORY;
	view->image = image;
	view->log = code_image_log(image);
	view->known = ARRAY_OF(struct code_known);
	view->changes = code_image_changes(image);
	view->unknown = code_image_unknown(image);
	view->regions = ARRAY_OF(struct code_region);
	view->fd = -1;
	error = copy_regions(view, code_image_regions(image), place);
	if (error)
		goto fail;
	undo_all(view);
	error = know(view);
	if (error)
		goto fail;
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
	array_free(&view->known);
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

/* Restores the bytes from before @change that it does not contain. */
static void restore(struct code_view *view, const struct code_change *change)
{
	uint8_t piece[RESTORED_AT_ONCE];
	size_t done = change->old_size;

	while (done < change->new_size) {
		size_t size = change->new_size - done;

		if (size > sizeof(piece))
			size = sizeof(piece);
		size = code_change_restore(code_image_regions(view->image),
					   view->changes, view->next_change,
					   change->address + done, piece, size);
		if (!size)
			return;
		write_bytes(view, change->address + done, piece, size);
		done += size;
	}
}

void code_view_undo_change(struct code_view *view)
{
	const struct code_change *change = code_view_last_change(view);

	view->next_change--;
	write_bytes(view, change->address, change->old_bytes, change->old_size);
	if (change->kind != CODE_LOSS)
		restore(view, change);
	view->is_known_old |= change->kind != CODE_PATCH;
}

uint64_t code_view_next_change_ns(const struct code_view *view)
{
	const struct code_change *change = code_view_next_change(view);

	return change ? change->time_ns : UINT64_MAX;
}

int code_view_make_change(struct code_view *view)
{
	const struct code_change *change = code_view_next_change(view);

	write_bytes(view, change->address, change->new_bytes, change->new_size);
	view->next_change++;
	if (change->kind == CODE_PATCH || view->is_known_old)
		return 0;
	view->last_known = (struct code_known){ 0 };
	return code_change_know(change, &view->known);
}

bool code_view_is_unknown(const struct code_view *view, uint64_t address)
{
	return !code_unknown_limit(view->unknown, address, 1);
}

/* Returns how many bytes from @address on are known, 0 when out of memory. */
static uint64_t known_limit(struct code_view *view, uint64_t address)
{
	const struct code_known *range = &view->last_known;

	if (view->is_known_old && know(view) < 0)
		return 0;
	if (address - range->first < range->end - range->first)
		return range->end - address;
	range = code_known_next(&view->known, address);
	if (!range || range->first > address)
		return 0;
	view->last_known = *range;
	return range->end - address;
}

const uint8_t *code_view_bytes(struct code_view *view, uint64_t address,
			       size_t *left)
{
	const struct code_region *region = view->last;
	uint64_t limit;

	if (!region || address - region->first >= region->size_bytes)
		region = code_region_find(&view->regions, address);
	if (!region)
		return NULL;
	view->last = region;
	limit = region->size_bytes - (address - region->first);
	*left = known_limit(view, address);
	if (*left > limit)
		*left = limit;
	*left = code_unknown_limit(view->unknown, address, *left);
	if (!*left)
		return NULL;
	return region->bytes + (address - region->first);
}

/* Returns the first address after @address that may be known. */
static uint64_t next_known(const struct code_view *view, uint64_t address)
{
	const struct code_known *range = code_known_next(&view->known, address);

	if (!range)
		return UINT64_MAX;
	if (range->first > address)
		return range->first;
	return code_unknown_end(view->unknown, address);
}

int code_view_pieces(struct code_view *view, struct array *pieces)
{
	for (size_t i = 0; i < view->regions.count; i++) {
		const struct code_region *region = array_at(&view->regions, i);
		uint64_t end = region->first + region->size_bytes;
		uint64_t at = region->first;

		while (at < end) {
			size_t left = 0;
			struct code_region *piece;

			if (!code_view_bytes(view, at, &left)) {
				at = next_known(view, at);
				continue;
			}
			piece = array_add(pieces);
			if (!piece)
				return -ERROR_MEMORY;
			*piece = *region;
			piece->first = at;
			piece->size_bytes = left;
			piece->file_offset += at - region->first;
			piece->bytes += at - region->first;
			at += left;
		}
	}
	return 0;
}
