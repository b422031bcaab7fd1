/* SPDX-License-Identifier: MIT */
#include "view/data/call_sums.h"

#include "common/error.h"
#include "view/data/call_store.h"
#include "view/data/sum_lists.h"

#include <stdlib.h>

struct call_sums *call_sums_new(struct chunk_file *file)
{
	struct call_sums *sums = calloc(1, sizeof(*sums));
	struct call_path *root;

	if (!sums)
		return NULL;
	sums->file = file;
	sums->paths = ARRAY_OF(struct call_path);
	sums->path_chunks = ARRAY_OF(struct chunk);
	sums->parts = ARRAY_OF(uint8_t);
	for (size_t i = 0; i < CALL_LEVELS_MOST; i++)
		sums->levels[i] = ARRAY_OF(struct call_span);
	root = array_add(&sums->paths);
	if (!root) {
		call_sums_free(sums);
		return NULL;
	}
	root->parent = CALL_PATH_NONE;
	return sums;
}

void call_sums_free(struct call_sums *sums)
{
	if (!sums)
		return;
	for (size_t i = 0; i < CALL_LEVELS_MOST; i++) {
		for (size_t j = 0; j < sums->levels[i].count; j++) {
			struct call_span *span = array_at(&sums->levels[i], j);

			array_free(&span->frames);
		}
		array_free(&sums->levels[i]);
	}
	array_free(&sums->paths);
	array_free(&sums->path_chunks);
	array_free(&sums->parts);
	free(sums);
}

int call_sums_add_path(struct call_sums *sums, struct call_path path)
{
	return array_append(&sums->paths, &path);
}

const struct call_path *call_sums_paths(const struct call_sums *sums,
					uint32_t *count)
{
	*count = (uint32_t)sums->paths.count;
	return sums->paths.items;
}

int call_sums_set_part(struct call_sums *sums, uint32_t number, uint8_t part)
{
	uint8_t *of_thread = array_reach(&sums->parts, number);

	if (!of_thread)
		return -ERROR_MEMORY;
	*of_thread = part;
	return 0;
}

uint8_t call_sums_part(const struct call_sums *sums, uint32_t number)
{
	const uint8_t *parts = sums->parts.items;

	return number < sums->parts.count ? parts[number] : 0;
}

size_t call_sums_spans(const struct call_sums *sums, uint32_t level)
{
	return level < CALL_LEVELS_MOST ? sums->levels[level].count : 0;
}

const struct call_span *call_sums_span(const struct call_sums *sums,
				       uint32_t level, size_t index)
{
	return array_at(&sums->levels[level], index);
}

/* Returns whether @level has a span of @cells cells that starts at cell @begin.
 */
static bool has_span(const struct call_sums *sums, uint32_t level, size_t cells,
		     size_t begin)
{
	return begin % cells == 0 &&
	       begin / cells < call_sums_spans(sums, level) &&
	       !call_sums_span(sums, level, begin / cells)->is_left_out;
}

uint32_t call_sums_largest(const struct call_sums *sums, size_t first,
			   size_t last, bool is_back, uint32_t most,
			   size_t *cells)
{
	size_t wanted = is_back ? first - last : last - first;
	uint32_t largest = 0;
	size_t size = 1;

	*cells = 1;
	for (uint32_t level = 1; level < CALL_LEVELS_MOST && level <= most;
	     level++) {
		size *= CALL_SPAN_CELLS;
		if (size > wanted)
			break;
		if (!has_span(sums, level, size,
			      is_back ? first - size : first))
			continue;
		largest = level;
		*cells = size;
	}
	return largest;
}

static bool is_of_lower(const void *frame, const void *owner)
{
	return ((const struct call_frame *)frame)->owner <
	       *(const uint32_t *)owner;
}

const struct call_frame *call_span_frame(const struct call_span *span,
					 uint32_t owner)
{
	const struct call_frame *frames = span->frames.items;
	size_t index =
		array_partition_point(&span->frames, &owner, is_of_lower);

	return index < span->frames.count && frames[index].owner == owner ?
		       &frames[index] :
		       NULL;
}

/* Decodes paths, which are written as differences from their predecessors. */
static int make_absolute(const struct call_sums *sums, struct array *read)
{
	struct call_sum *items = read->items;
	uint32_t path = 0;

	for (size_t i = 0; i < read->count; i++) {
		path += items[i].path;
		items[i].path = path;
		/* The file is untrusted. */
		if (path >= sums->paths.count)
			return -ERROR_FORMAT;
	}
	return 0;
}

int call_sums_read(const struct call_sums *sums, const struct call_frame *frame,
		   struct array *read)
{
	int status;

	*read = ARRAY_OF(struct call_sum);
	read->items = chunk_file_read(sums->file, &frame->chunk);
	if (!read->items)
		return -ERROR_FORMAT;
	read->count = frame->chunk.size / sizeof(struct call_sum);
	read->room = read->count;
	status = make_absolute(sums, read);
	if (status < 0)
		array_free(read);
	return status;
}
