/* SPDX-License-Identifier: MIT */
#include "decoder/recording/aux_stream.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/formats/perf_data.h"
#include "decoder/recording/record_parse_internal.h"
#include "decoder/recording/record_walk.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* In three parts, from the bytes up:
 *
 *	sync points     intel_psb_find(), point_search_before()
 *	reading         struct stream_bytes: all bytes at one address
 *	                struct stream_window: a part at a time, copied
 *	collecting      struct stream_builder: one stream, while records arrive
 *	                struct stream_list: all, and stream_list_finish()
 *
 * A builder trims repeated bytes: padding to 8 bytes, and the bytes that
 * two snapshots of a ring have in common. Holes between slices become losses. A
 * window copies slices to a buffer and gives the pages of the file back in
 * large steps, because each of these calls stops all threads.
 */

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

/* Releases the pages of a slice after its bytes from @done to @to were copied,
 * but only at each RELEASE_STEP and at the end of the slice. Includes the pages
 * of the previous step, which this or another thread may have read since.
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
	/* Shrinks by each half that is searched, so that no half is searched
	 * again where sync points are rare.
	 */
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

/* A stream while its parts are being collected. */
struct stream_builder {
	struct aux_stream stream;
	struct array pieces; /* struct aux_piece: in the order of the file */
	struct array losses; /* struct aux_loss */
	struct array spans;  /* struct aux_span */
};

/* The time packet after a PSB makes these bytes unique. */
enum { KEY_SIZE = 48 };

size_t snapshot_overlap(const uint8_t *before, size_t before_size,
			const uint8_t *next, size_t next_size)
{
	const uint8_t *key = memmem(next, next_size, intel_psb, INTEL_PSB_SIZE);

	if (!key)
		return 0;

	size_t lead = (size_t)(key - next);
	size_t key_size = next_size - lead < KEY_SIZE ? next_size - lead :
							KEY_SIZE;
	const uint8_t *found = memmem(before, before_size, key, key_size);

	if (!found)
		return 0;

	/* Everything from there to the end of @before must also be in @next. */
	size_t shared = before_size - (size_t)(found - before);

	if (shared > next_size - lead || memcmp(found, key, shared))
		return 0;
	return lead + shared;
}

/* Returns a stream for @cpu or, if that is -1, for thread @tid; with perf's
 * @index. Uses the arrays in @spare, if there are any.
 */
static struct stream_builder stream_builder_new(uint32_t index, int32_t cpu,
						int32_t tid,
						struct array spare[3])
{
	struct stream_builder builder = {
		.stream = { .index = index,
			    .cpu = cpu,
			    .pid = -1,
			    .tid = cpu >= 0 ? -1 : tid },
		.pieces = ARRAY_OF(struct aux_piece),
		.losses = ARRAY_OF(struct aux_loss),
		.spans = ARRAY_OF(struct aux_span),
	};

	if (spare->item_size) {
		builder.pieces = spare[0];
		builder.losses = spare[1];
		builder.spans = spare[2];
		memset(spare, 0, 3 * sizeof(*spare));
	}
	return builder;
}

static void stream_builder_free(struct stream_builder *builder)
{
	array_free(&builder->pieces);
	array_free(&builder->losses);
	array_free(&builder->spans);
}

/* Moves the arrays of @builder to @spare, emptied. */
static void stream_builder_spare(const struct stream_builder *builder,
				 struct array spare[3])
{
	spare[0] = builder->pieces;
	spare[1] = builder->losses;
	spare[2] = builder->spans;
	for (int i = 0; i < 3; i++)
		spare[i].count = 0;
}

/* Returns 0 or -ERROR_MEMORY. */
static int stream_builder_add_loss(struct stream_builder *builder,
				   struct aux_loss loss)
{
	return array_append(&builder->losses, &loss);
}

static void trim_front(struct aux_piece *piece, uint64_t count)
{
	if (count > piece->size_bytes)
		count = piece->size_bytes;
	piece->offset += count;
	piece->file_offset += count;
	piece->bytes += count;
	piece->size_bytes -= count;
}

/* Removes the padding of a slice, by @count bytes: perf pads slices to 8 bytes,
 * and the start of the next one shows the true size.
 */
static void cut_padding(struct aux_stream *stream, struct aux_piece *before,
			uint64_t count)
{
	if (count > 7 || count > before->size_bytes)
		return;
	before->size_bytes -= count;
	stream->size_bytes -= count;
}

/* Trims @piece to follow the previous slices. The recorded offset of a snapshot
 * is not a position in the stream, so the snapshot's offset becomes the end of
 * the previous slice.
 */
static int fit_piece(struct stream_builder *builder, struct aux_piece *before,
		     struct aux_piece *piece, bool is_snapshot)
{
	uint64_t end = before->offset + before->size_bytes;

	if (is_snapshot) {
		uint64_t shared =
			snapshot_overlap(before->bytes, before->size_bytes,
					 piece->bytes, piece->size_bytes);

		trim_front(piece, shared);
		piece->offset = end;
		if (shared)
			return 0;
	} else if (piece->offset <= end) {
		cut_padding(&builder->stream, before, end - piece->offset);
		end = before->offset + before->size_bytes;
		trim_front(piece, end - piece->offset);
		return 0;
	}
	return stream_builder_add_loss(builder,
				       (struct aux_loss){ .offset = end });
}

/* Trims overlapping slices, and adds a loss where there is a hole between two.
 * @is_snapshot: they are copies of a ring, and only their bytes show where two
 * overlap.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int stream_builder_fit(struct stream_builder *builder, bool is_snapshot)
{
	struct array *pieces = &builder->pieces;
	size_t kept = 0;
	int error = 0;

	for (size_t i = 0; i < pieces->count && !error; i++) {
		struct aux_piece *piece = array_at(pieces, i);
		struct aux_piece *place = array_at(pieces, kept);

		if (kept)
			error = fit_piece(builder, place - 1, piece,
					  is_snapshot);
		if (!piece->size_bytes)
			continue;
		*place = *piece;
		kept++;
		builder->stream.size_bytes += piece->size_bytes;
	}
	pieces->count = kept;
	return error;
}

/* Returns the stream, which borrows the arrays of @builder. */
static struct aux_stream stream_builder_stream(struct stream_builder *builder)
{
	struct aux_stream stream = builder->stream;

	array_sort_by(&builder->losses, KEYS(RISING(struct aux_loss, offset)));
	stream.pieces = builder->pieces.items;
	stream.piece_count = builder->pieces.count;
	stream.losses = builder->losses.items;
	stream.loss_count = builder->losses.count;
	return stream;
}

struct aux_report {
	struct aux_span span;
	int32_t cpu;
	int32_t tid;
	uint64_t id;
	/* the event with this id, set by stream_list_finish(); NULL: unknown */
	const struct event_id *event;
};

struct stream_list stream_list_new(void)
{
	return (struct stream_list){
		.builders = ARRAY_OF(struct stream_builder),
		.streams = ARRAY_OF(struct aux_stream),
		.reports = ARRAY_OF(struct aux_report),
		.ends = ARRAY_OF(uint64_t),
	};
}

void stream_list_clear(struct stream_list *list)
{
	for (size_t i = 0; i < list->builders.count; i++) {
		struct stream_builder *builder = array_at(&list->builders, i);

		if (list->spare->item_size)
			stream_builder_free(builder);
		else
			stream_builder_spare(builder, list->spare);
	}
	list->builders.count = 0;
	list->streams.count = 0;
	list->reports.count = 0;
	list->ends.count = 0;
	list->has_records = false;
	list->has_samples = false;
	list->is_full = false;
}

void stream_list_free(struct stream_list *list)
{
	for (size_t i = 0; i < list->builders.count; i++)
		stream_builder_free(array_at(&list->builders, i));
	for (size_t i = 0; i < 3; i++)
		array_free(&list->spare[i]);
	array_free(&list->builders);
	array_free(&list->streams);
	array_free(&list->reports);
	array_free(&list->ends);
}

static int no_piece(const struct stream_list *list,
		    const struct stream_builder *builder)
{
	return builder || !list->is_full ? -ERROR_MEMORY : -ERROR_UNSUPPORTED;
}

static struct stream_builder *
find_builder(struct stream_list *list, uint32_t index, int32_t cpu, int32_t tid)
{
	for (size_t i = 0; i < list->builders.count; i++) {
		struct stream_builder *builder = array_at(&list->builders, i);
		const struct aux_stream *stream = &builder->stream;

		if (stream->index == index && stream->cpu == cpu &&
		    (cpu >= 0 || stream->tid == tid))
			return builder;
	}
	if (list->builders.count == BUDGET_STREAMS) {
		list->is_full = true;
		return NULL;
	}

	struct stream_builder *added = array_add(&list->builders);

	if (added)
		*added = stream_builder_new(index, cpu, tid, list->spare);
	return added;
}

int stream_list_add(struct stream_list *list, const struct record *record)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);

	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE + 8);

	uint64_t offset = byte_reader_u64(&reader);

	byte_reader_u64(&reader);

	uint32_t index = byte_reader_u32(&reader);
	int32_t tid = (int32_t)byte_reader_u32(&reader);
	int32_t cpu = (int32_t)byte_reader_u32(&reader);

	if (reader.failed || cpu < -1 || cpu >= BUDGET_CPUS)
		return -ERROR_FORMAT;

	struct stream_builder *builder = find_builder(list, index, cpu, tid);
	struct aux_piece *piece = builder ? array_add(&builder->pieces) : NULL;

	list->has_records = true;
	if (!piece)
		return no_piece(list, builder);
	piece->offset = offset;
	piece->size_bytes = record->trailer_size;
	piece->file_offset = record->file_offset + record->size;
	piece->bytes = record->trailer;
	builder->stream.cut |= record->trailer_cut;
	return 0;
}

int stream_list_add_sample(struct stream_list *list, int32_t cpu, int32_t tid,
			   const uint8_t *bytes, size_t size,
			   uint64_t file_offset)
{
	struct stream_builder *builder;
	struct aux_piece *piece;

	if (list->has_records || cpu < -1 || cpu >= BUDGET_CPUS)
		return 0;
	builder = find_builder(list, 0, cpu, tid);
	piece = builder ? array_add(&builder->pieces) : NULL;
	if (!piece)
		return no_piece(list, builder);
	list->has_samples = true;
	piece->size_bytes = size;
	piece->file_offset = file_offset;
	piece->bytes = bytes;
	return 0;
}

int stream_list_add_buffer(struct stream_list *list, uint32_t index,
			   int32_t cpu, const uint8_t *bytes, size_t size,
			   uint64_t flags)
{
	struct stream_builder *builder = find_builder(list, index, cpu, -1);
	struct aux_piece *piece = builder ? array_add(&builder->pieces) : NULL;
	struct aux_span *span = piece ? array_add(&builder->spans) : NULL;

	if (!span)
		return -ERROR_MEMORY;
	piece->size_bytes = size;
	piece->bytes = bytes;
	span->size_bytes = size;
	span->flags = flags;
	span->cpu = cpu;
	return 0;
}

/* Returns the start of an AUX record's span. For a ring that is overwritten,
 * the kernel records the end of the span (perf_aux_output_end() in
 * kernel/events/ring_buffer.c).
 */
static uint64_t span_start(const struct sideband_record *record)
{
	bool is_end = record->aux.flags & SIDEBAND_AUX_OVERWRITE &&
		      record->aux.offset >= record->aux.size_bytes;

	return is_end ? record->aux.offset - record->aux.size_bytes :
			record->aux.offset;
}

int stream_list_report(struct stream_list *list,
		       const struct sideband_record *aux, uint64_t id)
{
	struct aux_report *report = array_add(&list->reports);

	if (!report)
		return -ERROR_MEMORY;
	report->span = (struct aux_span){
		.offset = span_start(aux),
		.size_bytes = aux->aux.size_bytes,
		.flags = aux->aux.flags,
		.time_ns = aux->time_ns,
		.cpu = aux->cpu,
	};
	report->cpu = aux->cpu;
	report->tid = aux->tid;
	report->id = id;
	return 0;
}

int stream_list_expect(struct stream_list *list,
		       const struct sideband_record *aux)
{
	uint64_t *end;

	if (aux->cpu < 0 || aux->cpu >= BUDGET_CPUS || !aux->aux.size_bytes ||
	    aux->aux.flags & SIDEBAND_AUX_OVERWRITE)
		return 0;
	end = array_reach(&list->ends, (size_t)aux->cpu);
	if (!end)
		return -ERROR_MEMORY;
	if (*end < aux->aux.offset + aux->aux.size_bytes)
		*end = aux->aux.offset + aux->aux.size_bytes;
	return 0;
}

static uint64_t end_of(const struct aux_stream *stream)
{
	const struct aux_piece *last = stream->pieces + stream->piece_count - 1;

	return stream->piece_count ? last->offset + last->size_bytes : 0;
}

/* Returns the stream of @cpu that ends last, because a CPU that was offline for
 * a time has several; or NULL.
 */
static struct aux_stream *last_of_cpu(const struct stream_list *list,
				      int32_t cpu)
{
	struct aux_stream *streams = list->streams.items;
	struct aux_stream *last = NULL;

	for (size_t i = 0; i < list->streams.count; i++)
		if (streams[i].cpu == cpu &&
		    (!last || end_of(&streams[i]) > end_of(last)))
			last = &streams[i];
	return last;
}

/* The trace of a thread is found by its own records' event, not by CPUs. */
static bool is_by_cpu(const struct stream_list *list)
{
	const struct aux_stream *streams = list->streams.items;

	for (size_t i = 0; i < list->streams.count; i++)
		if (streams[i].cpu < 0)
			return false;
	return list->streams.count > 0;
}

size_t stream_list_missing(const struct stream_list *list, int32_t *cpu)
{
	const uint64_t *ends = list->ends.items;
	size_t missing = 0;

	if (!is_by_cpu(list))
		return 0;
	for (size_t i = list->ends.count; i--;) {
		if (!ends[i] || last_of_cpu(list, (int32_t)i))
			continue;
		*cpu = (int32_t)i;
		missing++;
	}
	return missing;
}

/* Marks the streams that end before the AUX records do. */
static void mark_cut(const struct stream_list *list)
{
	const uint64_t *ends = list->ends.items;

	for (size_t i = 0; i < list->ends.count; i++) {
		struct aux_stream *last =
			ends[i] ? last_of_cpu(list, (int32_t)i) : NULL;

		if (last && end_of(last) < ends[i])
			last->cut = true;
	}
}

static bool concerns(const struct aux_report *report,
		     const struct aux_stream *stream)
{
	const struct event_id *id = report->event;

	if (stream->cpu >= 0)
		return report->cpu == stream->cpu;
	if (id && id->has_index)
		return id->aux_index == stream->index;
	return report->tid == stream->tid;
}

static int place_report(struct stream_builder *builder,
			const struct aux_span *span)
{
	if (array_append(&builder->spans, span) < 0)
		return -ERROR_MEMORY;
	if (!(span->flags & SIDEBAND_AUX_LOSSES))
		return 0;
	return stream_builder_add_loss(
		builder, (struct aux_loss){
				 .offset = span->offset + span->size_bytes,
				 .time_ns = span->time_ns,
				 .flags = span->flags,
			 });
}

static int place_reports(const struct stream_list *list,
			 struct stream_builder *builder)
{
	int error = 0;

	for (size_t i = 0; i < list->reports.count && !error; i++) {
		const struct aux_report *report = array_at(&list->reports, i);

		if (concerns(report, &builder->stream))
			error = place_report(builder, &report->span);
	}
	return error;
}

static void find_events(struct stream_list *list,
			const struct event_table *events)
{
	for (size_t i = 0; i < list->reports.count; i++) {
		struct aux_report *report = array_at(&list->reports, i);

		report->event = event_table_find(events, report->id);
	}
}

static int publish(struct stream_list *list, struct stream_builder *builder)
{
	struct aux_stream *stream = array_add(&list->streams);

	if (!stream)
		return -ERROR_MEMORY;
	*stream = stream_builder_stream(builder);
	return 0;
}

int stream_list_finish(struct stream_list *list,
		       const struct event_table *events, bool is_snapshot)
{
	int error = 0;

	find_events(list, events);
	for (size_t i = 0; i < list->builders.count && !error; i++) {
		struct stream_builder *builder = array_at(&list->builders, i);

		error = stream_builder_fit(builder, is_snapshot);
		if (!error && !is_snapshot)
			error = place_reports(list, builder);
		if (!error)
			error = publish(list, builder);
	}
	if (!error && !is_snapshot)
		mark_cut(list);
	return error;
}

const struct array *stream_list_spans(const struct stream_list *list,
				      size_t index)
{
	const struct stream_builder *builder = array_at(&list->builders, index);

	return &builder->spans;
}
