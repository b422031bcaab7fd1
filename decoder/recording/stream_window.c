/* SPDX-License-Identifier: MIT */
#include "decoder/recording/stream_window.h"
#include "common/error.h"
#include "common/file_map.h"
#include "decoder/recording/data_file.h"
#include "decoder/recording/recording.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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
