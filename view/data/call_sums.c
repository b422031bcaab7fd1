/* SPDX-License-Identifier: MIT */
#include "view/data/call_sums.h"

#include "common/bytes.h"
#include "common/error.h"

#include <assert.h>
#include <stdlib.h>

/* A cell's sums are lists by thread, each sorted by path. A span of a higher
 * level joins the lists of eight spans (sum_lists_join()); a list that only one
 * of them has is shared, not written again. Lists are written to the file as
 * differences of path numbers, which are small; only their positions stay in
 * memory.
 *
 * The file is untrusted when a summary is read again. call_sums_pack() checks
 * that chunks are bounded, that a path's parent has a smaller number, that
 * spans are in the order of time, and that a span's frames are in the order of
 * owners; call_sums_read() checks the paths of the sums.
 */

struct call_sums {
	struct chunk_file *file;
	struct array paths; /* struct call_path */
	/* struct chunk: positions of the written paths */
	struct array path_chunks;
	struct array parts; /* uint8_t: enum profile_part by thread */
	struct array levels[CALL_LEVELS_MOST]; /* struct call_span */
};

/* Adds the sums of @from to those of @to. */

static void add(struct call_sum *to, const struct call_sum *from)
{
	to->self_ns += from->self_ns;
	to->calls += from->calls;
}

/* Sorts sums by path, and merges sums of the same path: a list, as
 * sum_lists_join() needs it.
 */
static void sum_list_sort(struct array *sums)
{
	struct call_sum *items = sums->items;
	size_t kept = 0;

	array_sort_by(sums, KEYS(RISING(struct call_sum, path)));
	for (size_t i = 0; i < sums->count; i++) {
		if (kept && items[kept - 1].path == items[i].path)
			add(&items[kept - 1], &items[i]);
		else
			items[kept++] = items[i];
	}
	sums->count = kept;
}

/* Merges two lists into @to, which has room. */
static size_t join(const struct array *a, const struct array *b,
		   struct call_sum *to)
{
	const struct call_sum *x = a->items;
	const struct call_sum *y = b->items;
	const struct call_sum *x_end = x + a->count;
	const struct call_sum *y_end = y + b->count;
	size_t count = 0;

	while (x < x_end || y < y_end) {
		if (y == y_end || (x < x_end && x->path <= y->path)) {
			to[count] = *x++;
			if (y < y_end && y->path == to[count].path)
				add(&to[count], y++);
		} else {
			to[count] = *y++;
		}
		count++;
	}
	return count;
}

static int join_pair(struct array *a, struct array *b)
{
	struct array joined = ARRAY_OF(struct call_sum);
	size_t room = a->count + b->count;

	joined.items = malloc((room + 1) * sizeof(struct call_sum));
	if (!joined.items)
		return -ERROR_MEMORY;
	joined.room = room + 1;
	joined.count = join(a, b, joined.items);
	array_free(a);
	array_free(b);
	*a = joined;
	return 0;
}

/* Merges @count @lists, which become empty, into @joined, an empty list.
 *
 * Returns 0, or -ERROR_MEMORY; then @joined stays empty.
 */
static int sum_lists_join(struct array *lists, size_t count,
			  struct array *joined)
{
	int status = 0;

	/* Pairwise, so that each sum is moved few times. */
	for (size_t step = 1; step < count && !status; step *= 2)
		for (size_t i = 0; i + step < count && !status; i += 2 * step)
			status = join_pair(&lists[i], &lists[i + step]);
	if (!status && count) {
		*joined = lists[0];
		lists[0] = ARRAY_OF(struct call_sum);
	}
	for (size_t i = 0; i < count; i++)
		array_free(&lists[i]);
	return status;
}

/* Paths per chunk, for chunks of some megabytes. */
enum { CHUNK_PATHS = 1 << 19 };

int call_sums_flush(struct call_sums *sums)
{
	const struct call_path *paths = sums->paths.items;
	int status = 0;

	for (size_t i = 0; i < sums->paths.count && !status; i += CHUNK_PATHS) {
		struct chunk *chunk = array_add(&sums->path_chunks);
		size_t count = sums->paths.count - i;

		if (count > CHUNK_PATHS)
			count = CHUNK_PATHS;
		status = chunk ? chunk_file_add(sums->file, paths + i,
						count * sizeof(*paths), chunk) :
				 -ERROR_MEMORY;
	}
	return status;
}

/* Returns whether path @i is valid. */
static bool is_sensible(const struct call_path *path, size_t i,
			uint32_t functions)
{
	if (!i)
		return path->parent == CALL_PATH_NONE;
	return path->parent < i && path->function < functions &&
	       path->ends_interrupt <= 1;
}

static bool read_paths(struct call_sums *sums, const struct chunk *chunk,
		       uint32_t functions)
{
	struct call_path *read = chunk_file_read(sums->file, chunk);
	bool is_right = read;

	for (size_t i = 0; is_right && i < chunk->size / sizeof(*read); i++) {
		is_right = is_sensible(&read[i], sums->paths.count, functions);
		if (is_right)
			is_right = !call_sums_add_path(sums, read[i]);
	}
	free(read);
	return is_right;
}

static void pack_paths(struct call_sums *sums, struct pack *pack,
		       uint32_t functions)
{
	uint32_t count = (uint32_t)sums->path_chunks.count;

	pack_u32(pack, &count);
	if (pack->is_reading)
		sums->paths.count = 0;
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct chunk *chunk = array_reach(&sums->path_chunks, i);

		pack_check(pack, chunk);
		if (!chunk)
			return;
		chunk_pack(chunk, pack);
		if (pack->is_reading)
			pack_check(pack, read_paths(sums, chunk, functions));
	}
	pack_check(pack, sums->paths.count > 0);
}

static void pack_parts(struct call_sums *sums, struct pack *pack)
{
	uint32_t count = (uint32_t)sums->parts.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		uint8_t *part = array_reach(&sums->parts, i);

		if (part)
			pack_small(pack, part, CALL_PARTS_MOST);
		pack_check(pack, part);
	}
}

static void pack_frame(struct call_frame *frame, struct pack *pack)
{
	pack_u32(pack, &frame->owner);
	chunk_pack(&frame->chunk, pack);
	pack_check(pack, frame->chunk.size % sizeof(struct call_sum) == 0);
}

/* @earliest_ns: the start of the previous span. */
static void pack_span(struct call_span *span, uint64_t earliest_ns,
		      struct pack *pack)
{
	uint32_t count = (uint32_t)span->frames.count;
	uint64_t least_owner = 0;

	if (pack->is_reading)
		span->frames = ARRAY_OF(struct call_frame);
	pack_u64(pack, &span->begin_ns);
	pack_u64(pack, &span->end_ns);
	pack_check(pack, span->begin_ns >= earliest_ns &&
				 span->end_ns >= span->begin_ns);
	pack_bool(pack, &span->is_left_out);
	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct call_frame *frame = array_reach(&span->frames, i);

		pack_check(pack, frame);
		if (!frame)
			return;
		pack_frame(frame, pack);
		pack_check(pack, frame->owner >= least_owner);
		least_owner = (uint64_t)frame->owner + 1;
	}
}

void call_sums_pack(struct call_sums *sums, struct pack *pack,
		    uint32_t functions)
{
	pack_paths(sums, pack, functions);
	pack_parts(sums, pack);
	for (uint32_t level = 0; level < CALL_LEVELS_MOST; level++) {
		uint32_t count = (uint32_t)sums->levels[level].count;
		uint64_t begin_ns = 0;

		pack_u32(pack, &count);
		for (uint32_t i = 0; i < count && !pack->failed; i++) {
			struct call_span *span =
				array_reach(&sums->levels[level], i);

			pack_check(pack, span);
			if (!span)
				return;
			pack_span(span, begin_ns, pack);
			begin_ns = span->begin_ns;
		}
	}
}

/* Maximum number of sums in a frame, which is one chunk. */

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

/* Adds a frame for the thread of cells[0]: the joined sums of all cells of that
 * thread, which are the first ones of the @count @cells. @lists has room for
 * their sums. Returns the number of these cells, or a negative enum error.
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

	array_sort_by(cells, KEYS(RISING(struct call_cell_sums, thread)));
	for (int i = 0; i < count && done >= 0; i += done)
		done = add_thread(sums, span, array_at(cells, (size_t)i),
				  count - i, lists);
	free(lists);
	return done < 0 ? done : 0;
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

/* Collects the frames of the CALL_SPAN_CELLS spans @below. If these are cells,
 * adds each frame once more, for the enum profile_part of its thread.
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
	array_sort_by(frames, KEYS(RISING(struct call_frame, owner),
				   RISING(struct call_frame, chunk.offset)));
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

/* Adds @span to @level. Takes its frames; frees them if that fails. */
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

static bool is_next_cell(const struct call_sums *sums, uint64_t begin_ns)
{
	const struct array *cells = &sums->levels[0];
	const struct call_span *last =
		cells->count ? array_at(cells, cells->count - 1) : NULL;

	return !last || begin_ns >= last->begin_ns;
}

int call_sums_add_cell(struct call_sums *sums, uint64_t begin_ns,
		       uint64_t end_ns, struct array *lists)
{
	struct call_span span = {
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.frames = ARRAY_OF(struct call_frame),
	};
	int status;

	assert(is_next_cell(sums, begin_ns)); /* invariant 1 */
	status = add_threads(sums, &span, lists);
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
	/* invariant 3 */
	assert(path.parent == CALL_PATH_NONE ? !sums->paths.count :
					       path.parent < sums->paths.count);
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

const struct call_frame *call_span_frame(const struct call_span *span,
					 uint32_t owner)
{
	const struct call_frame *frames = span->frames.items;
	size_t index = array_count_below(
		&span->frames, KEYS(RISING(struct call_frame, owner)), owner);

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
