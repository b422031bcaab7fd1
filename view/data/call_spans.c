/* SPDX-License-Identifier: MIT */
/* Builds spans of call sums: cells, and larger spans of them. */
#include "common/error.h"
#include "view/data/call_store.h"
#include "view/data/sum_lists.h"

#include <stdlib.h>

enum { SUMS_MOST = CHUNK_MOST / sizeof(struct call_sum) };

/* Writes @list, which becomes empty, as the next frame of @span. Paths are
 * written as differences from their predecessors: small numbers.
 */
static int add_frame(struct call_sums *sums, struct call_span *span,
		     uint32_t owner, struct array *list)
{
	struct call_frame *frame = array_add(&span->frames);
	struct call_sum *items = list->items;
	int status = -ERROR_MEMORY;

	for (size_t i = list->count; i-- > 1;)
		items[i].path -= items[i - 1].path;
	if (frame) {
		frame->owner = owner;
		status = chunk_file_add(sums->file, items,
					list->count * sizeof(*items),
					&frame->chunk);
	}
	array_free(list);
	return status;
}

static int compare_threads(const void *a, const void *b)
{
	const struct call_cell_sums *x = a;
	const struct call_cell_sums *y = b;

	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Adds a frame of the first of @cells and the following ones of the same
 * thread. @lists has room for them. Returns their number, or a negative enum
 * error.
 */
static int add_thread(struct call_sums *sums, struct call_span *span,
		      struct call_cell_sums *cells, int count,
		      struct array *lists)
{
	struct array joined = ARRAY_OF(struct call_sum);
	int same = 0;
	int status;

	for (; same < count && cells[same].thread == cells->thread; same++) {
		sum_list_sort(&cells[same].sums);
		lists[same] = cells[same].sums;
		cells[same].sums = ARRAY_OF(struct call_sum);
	}
	status = sum_lists_join(lists, (size_t)same, &joined);
	if (!status)
		status = joined.count > SUMS_MOST ?
				 -ERROR_MEMORY :
				 add_frame(sums, span, cells->thread, &joined);
	array_free(&joined);
	return status ? status : same;
}

static int add_threads(struct call_sums *sums, struct call_span *span,
		       struct array *cells)
{
	struct array *lists = calloc(cells->count + 1, sizeof(*lists));
	int count = (int)cells->count;
	int done = lists ? 0 : -ERROR_MEMORY;

	array_sort(cells, compare_threads);
	for (int i = 0; i < count && done >= 0; i += done)
		done = add_thread(sums, span, array_at(cells, (size_t)i),
				  count - i, lists);
	free(lists);
	return done < 0 ? done : 0;
}

static int compare_owners(const void *a, const void *b)
{
	const struct call_frame *x = a;
	const struct call_frame *y = b;

	if (x->owner != y->owner)
		return x->owner > y->owner ? 1 : -1;
	return (x->chunk.offset > y->chunk.offset) -
	       (x->chunk.offset < y->chunk.offset);
}

static int add_copy(struct array *frames, const struct call_frame *frame,
		    uint32_t owner)
{
	struct call_frame *copy = array_add(frames);

	if (!copy)
		return -ERROR_MEMORY;
	copy->owner = owner;
	copy->chunk = frame->chunk;
	return 0;
}

/* Collects the frames that a span is made from: those of its parts, and those
 * of threads once more for the threads' profile parts.
 */
static int collect(const struct call_sums *sums, const struct call_span *below,
		   bool are_cells, struct array *frames)
{
	int status = 0;

	for (size_t i = 0; i < CALL_SPAN_CELLS; i++)
		for (size_t j = 0; j < below[i].frames.count && !status; j++) {
			const struct call_frame *frame =
				array_at(&below[i].frames, j);

			status = add_copy(frames, frame, frame->owner);
			if (!status && are_cells)
				status = add_copy(
					frames, frame,
					CALL_OWNER_PART +
						call_sums_part(sums,
							       frame->owner));
		}
	array_sort(frames, compare_owners);
	return status;
}

/* Adds a frame that merges @count frames of one owner. A single frame is not
 * rewritten, but shared.
 */
static int join_frames(struct call_sums *sums, struct call_span *span,
		       const struct call_frame *frames, size_t count)
{
	struct array joined = ARRAY_OF(struct call_sum);
	struct array *lists;
	int status = 0;

	if (count == 1)
		return add_copy(&span->frames, frames, frames->owner);
	lists = calloc(count, sizeof(*lists));
	if (!lists)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < count; i++)
		lists[i] = ARRAY_OF(struct call_sum);
	for (size_t i = 0; i < count && !status; i++)
		status = call_sums_read(sums, &frames[i], &lists[i]);
	if (!status)
		status = sum_lists_join(lists, count, &joined);
	else
		for (size_t i = 0; i < count; i++)
			array_free(&lists[i]);
	free(lists);
	if (!status && joined.count > SUMS_MOST)
		span->is_left_out = true;
	else if (!status)
		status = add_frame(sums, span, frames->owner, &joined);
	array_free(&joined);
	return status;
}

static int join_all(struct call_sums *sums, struct call_span *span,
		    const struct call_frame *frames, size_t count)
{
	int status = 0;

	for (size_t i = 0; i < count && !status && !span->is_left_out;) {
		size_t first = i;

		while (i < count && frames[i].owner == frames[first].owner)
			i++;
		status = join_frames(sums, span, &frames[first], i - first);
	}
	return status;
}

/* Makes the next span of @level from the last spans of the previous level. */
static int make_span(struct call_sums *sums, uint32_t level,
		     struct call_span *span)
{
	const struct array *below = &sums->levels[level - 1];
	const struct call_span *parts =
		array_at(below, below->count - CALL_SPAN_CELLS);
	struct array frames = ARRAY_OF(struct call_frame);
	int status = 0;

	span->begin_ns = parts[0].begin_ns;
	span->end_ns = parts[CALL_SPAN_CELLS - 1].end_ns;
	for (size_t i = 0; i < CALL_SPAN_CELLS; i++)
		span->is_left_out |= parts[i].is_left_out;
	if (!span->is_left_out)
		status = collect(sums, parts, level == 1, &frames);
	if (!status)
		status = join_all(sums, span, frames.items, frames.count);
	array_free(&frames);
	if (span->is_left_out)
		array_free(&span->frames);
	return status;
}

/* Adds a span, which the store owns even if that fails. */
static int add_span(struct call_sums *sums, uint32_t level,
		    struct call_span *span)
{
	struct call_span *added = array_add(&sums->levels[level]);

	if (!added) {
		array_free(&span->frames);
		return -ERROR_MEMORY;
	}
	*added = *span;
	return 0;
}

int call_sums_add_cell(struct call_sums *sums, uint64_t begin_ns,
		       uint64_t end_ns, struct array *lists)
{
	struct call_span span = {
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.frames = ARRAY_OF(struct call_frame),
	};
	int status = add_threads(sums, &span, lists);

	for (uint32_t level = 0; !status; level++) {
		status = add_span(sums, level, &span);
		if (status || level + 1 == CALL_LEVELS_MOST ||
		    sums->levels[level].count % CALL_SPAN_CELLS)
			return status;
		span = (struct call_span){
			.frames = ARRAY_OF(struct call_frame),
		};
		status = make_span(sums, level + 1, &span);
	}
	array_free(&span.frames);
	return status;
}
