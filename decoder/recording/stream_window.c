/* SPDX-License-Identifier: MIT */
#include "decoder/recording/stream_window.h"

#include "common/error.h"
#include "common/file_map.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PSB_PERIOD = 2 };

const uint8_t intel_psb[INTEL_PSB_SIZE] = {
	2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
};

size_t intel_psb_find(const uint8_t *bytes, size_t size, size_t from)
{
	if (from >= size)
		return size;

	const uint8_t *found =
		memmem(bytes + from, size - from, intel_psb, INTEL_PSB_SIZE);

	if (!found)
		return size;

	size_t at = (size_t)(found - bytes);

	/* The end of the previous packet may look like the start of a PSB. */
	while (size - at >= PSB_PERIOD + INTEL_PSB_SIZE &&
	       !memcmp(bytes + at + PSB_PERIOD, intel_psb, INTEL_PSB_SIZE))
		at += PSB_PERIOD;
	return at;
}

/* A PSB, and bytes before it that may look like its start. */
enum { PSB_REACH = 2 * INTEL_PSB_SIZE, REACH_STEP = 1 << 14 };

size_t intel_psb_reach(const uint8_t *bytes, size_t size, size_t from,
		       intel_psb_reach_bytes *reach, void *ctx)
{
	if (!reach)
		return intel_psb_find(bytes, size, from);
	while (from < size) {
		size_t end = size - from < REACH_STEP ? size :
							from + REACH_STEP;
		size_t found;

		bytes = reach(ctx, from, end);
		found = intel_psb_find(bytes, end, from);
		if (end == size)
			return found;
		if (found + PSB_REACH < end)
			return found;
		from = found < end ? found : end - PSB_REACH;
	}
	return size;
}

static int join(struct stream_bytes *bytes, const struct aux_stream *stream,
		const struct log *log)
{
	int fd = file_map_temporary(log);
	int error = fd < 0 ? fd : 0;

	for (size_t i = 0; i < stream->piece_count && !error; i++) {
		error = file_map_append(fd, stream->pieces[i].bytes,
					stream->pieces[i].size_bytes, log);
		pages_release(stream->pieces[i].bytes, 0,
			      stream->pieces[i].size_bytes);
	}
	if (!error)
		error = file_map_open_fd(&bytes->joined, fd);
	if (fd >= 0)
		close(fd);
	bytes->bytes = bytes->joined.bytes;
	bytes->size = bytes->joined.size;
	return error;
}

int stream_bytes_open(struct stream_bytes *bytes,
		      const struct aux_stream *stream, const struct log *log)
{
	*bytes = (struct stream_bytes){ 0 };
	if (!stream->piece_count)
		return 0;
	if (stream->piece_count > 1)
		return join(bytes, stream, log);
	bytes->bytes = stream->pieces[0].bytes;
	bytes->size = stream->pieces[0].size_bytes;
	return 0;
}

void stream_bytes_close(struct stream_bytes *bytes)
{
	file_map_close(&bytes->joined);
}

size_t stream_bytes_release(const struct stream_bytes *bytes, size_t from,
			    size_t position)
{
	return pages_release(bytes->bytes, from, position);
}

bool loss_cursor_is_at_loss(const struct loss_cursor *cursor)
{
	return cursor->loss < cursor->stream->loss_count;
}

size_t loss_cursor_next(struct loss_cursor *cursor, size_t from)
{
	const struct aux_stream *stream = cursor->stream;

	while (cursor->piece < stream->piece_count) {
		const struct aux_piece *piece = &stream->pieces[cursor->piece];

		while (loss_cursor_is_at_loss(cursor)) {
			uint64_t lost = stream->losses[cursor->loss].offset;
			size_t at = cursor->piece_start;

			if (lost > piece->offset + piece->size_bytes)
				break;
			if (lost > piece->offset)
				at += lost - piece->offset;
			if (at > from)
				return at;
			cursor->loss++;
		}
		cursor->piece_start += piece->size_bytes;
		cursor->piece++;
	}
	return cursor->piece_start;
}

uint64_t loss_at_end_ns(const struct aux_stream *stream)
{
	/* A trace record is padded to a multiple of eight bytes. */
	enum { FILLED_MOST = 7 };
	const struct aux_piece *piece;
	const struct aux_loss *loss;

	if (!stream->loss_count || !stream->piece_count)
		return 0;
	piece = &stream->pieces[stream->piece_count - 1];
	loss = &stream->losses[stream->loss_count - 1];
	return loss->offset + FILLED_MOST >= piece->offset + piece->size_bytes ?
		       loss->time_ns :
		       0;
}

/* Minimum copied at once: not much more than a reader needs after a jump. */
#define COPY_STEP ((size_t)1 << 15)

/* Maximum copied at once, for sequential reading: a quarter of the bytes read
 * so far.
 */
#define LONGEST_COPY ((size_t)1 << 17)

/* Copied bytes stay until there are this many: the rest then moves to the start
 * of the buffer.
 */
#define MOST_KEPT ((size_t)1 << 18)

/* Bytes are given back to the system in steps of this size: with several
 * threads each call stops all of them.
 */
#define RELEASE_STEP ((size_t)1 << 20)

static int open_copy(struct stream_window *window)
{
	const struct aux_stream *stream = window->stream;
	void *memory;

	window->ends = calloc(stream->piece_count, sizeof(*window->ends));
	if (!window->ends)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < stream->piece_count; i++) {
		window->size += stream->pieces[i].size_bytes;
		window->ends[i] = window->size;
	}
	if (!window->size)
		return 0;
	memory = mmap(NULL, window->size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return -ERROR_MEMORY;
	window->copy = memory;
	window->bytes = memory;
	return 0;
}

int stream_window_open(struct stream_window *window,
		       const struct aux_stream *stream,
		       const struct data_file *file)
{
	int error;

	*window = (struct stream_window){ .stream = stream, .file = file };
	if (stream->piece_count == 1) {
		window->bytes = stream->pieces[0].bytes;
		window->size = stream->pieces[0].size_bytes;
	}
	if (stream->piece_count <= 1)
		return 0;
	error = open_copy(window);
	if (error)
		stream_window_close(window);
	return error;
}

void stream_window_close(struct stream_window *window)
{
	if (window->copy)
		munmap(window->copy, window->size);
	free(window->ends);
	*window = (struct stream_window){ 0 };
}

/* Returns the first slice that ends after @position, which must be in a slice.
 */
static size_t piece_at(const struct stream_window *window, size_t position)
{
	size_t low = 0;
	size_t high = window->stream->piece_count - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (window->ends[middle] > position)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static uint8_t *copy_at(const struct stream_window *window, size_t position)
{
	return window->copy + (position - window->copied_from);
}

/* Returns the end of a copy that must extend to @to. */
static size_t copy_end(const struct stream_window *window, size_t to)
{
	size_t step = window->way / 4;

	if (step > LONGEST_COPY)
		step = LONGEST_COPY;
	if (step < COPY_STEP)
		step = COPY_STEP;
	if (to - window->copied_to < step)
		to = window->copied_to + step;
	return to < window->size ? to : window->size;
}

/* Gives back a slice's bytes, of which those from @done to @to were copied,
 * including earlier ones that this or another thread may have read since the
 * last step.
 */
static void release_copied(const struct aux_piece *piece, size_t done,
			   size_t to)
{
	if (to == piece->size_bytes || done / RELEASE_STEP < to / RELEASE_STEP)
		pages_release(piece->bytes,
			      done > RELEASE_STEP ? done - RELEASE_STEP : 0,
			      to);
}

static void copy_bytes(struct stream_window *window, size_t from, size_t to)
{
	for (size_t i = piece_at(window, from); from < to; i++) {
		const struct aux_piece *piece = &window->stream->pieces[i];
		size_t begin = window->ends[i] - piece->size_bytes;
		size_t end = window->ends[i] < to ? window->ends[i] : to;
		size_t done = from - begin;

		if (!data_file_copy(window->file, piece->bytes + done,
				    end - from, copy_at(window, from))) {
			memcpy(copy_at(window, from), piece->bytes + done,
			       end - from);
			release_copied(piece, done, end - begin);
		}
		from = end;
	}
}

/* Moves the start of the copy to @from. */
static void begin_copy(struct stream_window *window, size_t from)
{
	if (from < window->copied_from || from > window->copied_to) {
		window->copied_from = from;
		window->copied_to = from;
		window->way = 0;
	}
	memmove(window->copy, copy_at(window, from), window->copied_to - from);
	window->copied_from = from;
	window->bytes = (const uint8_t *)((uintptr_t)window->copy - from);
}

const uint8_t *stream_window_reach(struct stream_window *window, size_t from,
				   size_t to)
{
	if (to > window->size)
		to = window->size;
	if (!window->copy || from >= to ||
	    (from >= window->copied_from && to <= window->copied_to))
		return window->bytes;
	if (from < window->copied_from || from > window->copied_to ||
	    from - window->copied_from >= MOST_KEPT)
		begin_copy(window, from);
	if (to > window->copied_to) {
		to = copy_end(window, to);
		copy_bytes(window, window->copied_to, to);
		window->way += to - window->copied_to;
		window->copied_to = to;
	}
	return window->bytes;
}

void stream_window_release(struct stream_window *window, size_t to)
{
	if (!window->copy && to >= window->released + RELEASE_STEP)
		window->released =
			pages_release(window->bytes, window->released, to);
}

enum {
	/* Range that is not bisected any more: it contains few sync points. */
	NEAR_BYTES = 1 << 14,
};

static bool find_next(const struct point_search *search, size_t from,
		      struct sync_point *point)
{
	return search->next(search->ctx, search->size, from, point);
}

/* Advances @point to the last one that is not later than @ticks, which is near.
 */
static void go_near(const struct point_search *search, uint64_t ticks,
		    struct sync_point *point)
{
	struct sync_point next;

	while (find_next(search, point->position + 1, &next) &&
	       next.ticks <= ticks)
		*point = next;
}

bool point_search_before(const struct point_search *search, uint64_t ticks,
			 struct sync_point *point)
{
	/* The second half is not searched again if sync points are rare. */
	struct point_search left = *search;
	struct sync_point middle;

	if (!find_next(search, 0, point) || point->ticks > ticks)
		return false;
	while (left.size - point->position > NEAR_BYTES) {
		size_t half =
			point->position + (left.size - point->position) / 2;

		if (find_next(&left, half, &middle) && middle.ticks <= ticks)
			*point = middle;
		else
			left.size = half;
	}
	go_near(search, ticks, point);
	return true;
}
