/* SPDX-License-Identifier: MIT */
#include "view/data/slice_store.h"

#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/cache_file.h"

#include <stdlib.h>

/* The short slices merged so far. */
struct waiting {
	struct view_slice slice; /* count 0: none */
	uint64_t longest_ns;	 /* busy time of the longest merged slice */
};

struct slice_thinner {
	struct slice_callback callback;
	struct slice_callback *next;
	uint64_t resolution_ns;
	struct array tracks; /* struct array of struct waiting, by depth */
	int status;
};

static struct array *depths_of(struct slice_thinner *thinner, uint32_t track)
{
	while (thinner->tracks.count <= track) {
		struct array *depths = array_add(&thinner->tracks);

		if (!depths)
			return NULL;
		*depths = ARRAY_OF(struct waiting);
	}
	return array_at(&thinner->tracks, track);
}

static void hand_on(struct slice_thinner *thinner, struct waiting *waiting)
{
	if (waiting->slice.count)
		thinner->next->consume(thinner->next, &waiting->slice);
	waiting->slice.count = 0;
}

static void begin(struct waiting *waiting, const struct view_slice *slice)
{
	waiting->slice = *slice;
	waiting->longest_ns = slice->busy_ns;
}

static void join(struct waiting *waiting, const struct view_slice *slice)
{
	struct view_slice *whole = &waiting->slice;

	whole->end_ns = slice->end_ns;
	whole->busy_ns += slice->busy_ns;
	whole->count += slice->count;
	if (slice->busy_ns <= waiting->longest_ns)
		return;
	waiting->longest_ns = slice->busy_ns;
	whole->name = slice->name;
	whole->detail = slice->detail;
	whole->waker_tid = slice->waker_tid;
}

/* Emits the waiting slices of @depth and below: a callee's slice must not end
 * after its caller's.  Deeper tracks are empty then; dropping them keeps the
 * work linear in the number of slices, however deep the stack once was.
 */
static void hand_on_below(struct slice_thinner *thinner, struct array *depths,
			  uint32_t depth)
{
	for (size_t i = depth; i < depths->count; i++)
		hand_on(thinner, array_at(depths, i));
	if (depths->count > depth)
		depths->count = depth;
}

static void consume_short(struct slice_thinner *thinner,
			  struct waiting *waiting,
			  const struct view_slice *slice)
{
	const struct view_slice *whole = &waiting->slice;

	if (!whole->count ||
	    slice->begin_ns > whole->end_ns + thinner->resolution_ns) {
		hand_on(thinner, waiting);
		begin(waiting, slice);
	} else {
		join(waiting, slice);
	}
	if (whole->end_ns - whole->begin_ns >= thinner->resolution_ns)
		hand_on(thinner, waiting);
}

static void consume(struct slice_callback *callback,
		    const struct view_slice *slice)
{
	struct slice_thinner *thinner = (struct slice_thinner *)callback;
	struct array *depths = depths_of(thinner, slice->track);
	struct waiting *waiting = depths ? array_reach(depths, slice->depth) :
					   NULL;

	if (!waiting) {
		thinner->status = -ERROR_MEMORY;
	} else if (slice->end_ns - slice->begin_ns < thinner->resolution_ns) {
		consume_short(thinner, waiting, slice);
	} else {
		hand_on_below(thinner, depths, slice->depth);
		thinner->next->consume(thinner->next, slice);
	}
}

struct slice_thinner *slice_thinner_new(uint64_t resolution_ns,
					struct slice_callback *next)
{
	struct slice_thinner *thinner = calloc(1, sizeof(*thinner));

	if (!thinner)
		return NULL;
	thinner->callback.consume = consume;
	thinner->next = next;
	thinner->resolution_ns = resolution_ns;
	thinner->tracks = ARRAY_OF(struct array);
	return thinner;
}

void slice_thinner_free(struct slice_thinner *thinner)
{
	if (!thinner)
		return;
	for (size_t i = 0; i < thinner->tracks.count; i++)
		array_free(array_at(&thinner->tracks, i));
	array_free(&thinner->tracks);
	free(thinner);
}

struct slice_callback *slice_thinner_callback(struct slice_thinner *thinner)
{
	return &thinner->callback;
}

int slice_thinner_end(struct slice_thinner *thinner)
{
	for (size_t i = 0; i < thinner->tracks.count; i++)
		hand_on_below(thinner, array_at(&thinner->tracks, i), 0);
	return thinner->status;
}

/* Slices per chunk: few, so that reading a window reads little else. */
enum { CHUNK_SLICES = 1024 };

struct slice_chunk {
	struct chunk chunk;
	/* start and end of the time that its slices cover together */
	uint64_t first_ns;
	uint64_t last_ns;
};

/* The slices of one track on one level. */
struct series {
	struct array chunks; /* struct slice_chunk */
	struct array newest; /* struct view_slice: not in a chunk yet */
};

struct slice_store {
	struct chunk_file *file;
	struct array levels[SLICE_LEVELS_MOST]; /* struct series by track */
};

struct slice_store *slice_store_new(struct chunk_file *file)
{
	struct slice_store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->file = file;
	for (size_t i = 0; i < SLICE_LEVELS_MOST; i++)
		store->levels[i] = ARRAY_OF(struct series);
	return store;
}

void slice_store_free(struct slice_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < SLICE_LEVELS_MOST; i++) {
		struct array *level = &store->levels[i];

		for (size_t j = 0; j < level->count; j++) {
			struct series *series = array_at(level, j);

			array_free(&series->chunks);
			array_free(&series->newest);
		}
		array_free(level);
	}
	free(store);
}

static struct series *add_series(struct array *level, uint32_t track)
{
	while (level->count <= track) {
		struct series *series = array_add(level);

		if (!series)
			return NULL;
		series->chunks = ARRAY_OF(struct slice_chunk);
		series->newest = ARRAY_OF(struct view_slice);
	}
	return array_at(level, track);
}

/* Makes numbers small and mostly equal, so that they compress well. */
static void make_relative(struct view_slice *slices, size_t count)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t end_ns = slices[i].end_ns;

		slices[i].busy_ns -= end_ns - slices[i].begin_ns;
		slices[i].end_ns -= slices[i].begin_ns;
		slices[i].begin_ns -= last_ns;
		last_ns = end_ns;
	}
}

static void make_absolute(struct view_slice *slices, size_t count)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < count; i++) {
		slices[i].begin_ns += last_ns;
		slices[i].busy_ns += slices[i].end_ns;
		slices[i].end_ns += slices[i].begin_ns;
		last_ns = slices[i].end_ns;
	}
}

static int flush(struct slice_store *store, struct series *series)
{
	struct array *newest = &series->newest;
	const struct view_slice *slices = newest->items;
	struct slice_chunk *chunk = array_add(&series->chunks);
	int status;

	if (!chunk)
		return -ERROR_MEMORY;
	chunk->first_ns = UINT64_MAX;
	for (size_t i = 0; i < newest->count; i++) {
		if (slices[i].begin_ns < chunk->first_ns)
			chunk->first_ns = slices[i].begin_ns;
		if (slices[i].end_ns > chunk->last_ns)
			chunk->last_ns = slices[i].end_ns;
	}
	make_relative(newest->items, newest->count);
	status = chunk_file_add(store->file, newest->items,
				newest->count * sizeof(*slices), &chunk->chunk);
	if (status < 0)
		series->chunks.count--;
	array_free(newest);
	return status;
}

int slice_store_add(struct slice_store *store, uint32_t level,
		    const struct view_slice *slice)
{
	struct series *series = add_series(&store->levels[level], slice->track);
	struct view_slice *copy = series ? array_add(&series->newest) : NULL;

	if (!copy)
		return -ERROR_MEMORY;
	*copy = *slice;
	return series->newest.count < CHUNK_SLICES ? 0 : flush(store, series);
}

static void hand_out(const struct view_slice *slices, size_t count,
		     uint32_t track, struct time_window window,
		     struct slice_callback *callback)
{
	for (size_t i = 0; i < count; i++)
		if (slices[i].begin_ns < window.until_ns &&
		    slices[i].end_ns >= window.since_ns &&
		    slices[i].track == track)
			callback->consume(callback, &slices[i]);
}

static int read_chunk(const struct slice_store *store,
		      const struct slice_chunk *chunk, uint32_t track,
		      struct time_window window,
		      struct slice_callback *callback)
{
	size_t count = chunk->chunk.size / sizeof(struct view_slice);
	struct view_slice *slices;

	if (chunk->first_ns >= window.until_ns ||
	    chunk->last_ns < window.since_ns)
		return 0;
	slices = chunk_file_read(store->file, &chunk->chunk);
	if (!slices)
		return -ERROR_FORMAT;
	make_absolute(slices, count);
	hand_out(slices, count, track, window, callback);
	free(slices);
	return 0;
}

int slice_store_read(const struct slice_store *store, uint32_t level,
		     uint32_t track, struct time_window window,
		     struct slice_callback *callback)
{
	const struct array *of_level = &store->levels[level];
	const struct series *series;
	int status = 0;

	if (track >= of_level->count)
		return 0;
	series = array_at(of_level, track);
	for (size_t i = 0; i < series->chunks.count && !status; i++)
		status = read_chunk(store, array_at(&series->chunks, i), track,
				    window, callback);
	hand_out(series->newest.items, series->newest.count, track, window,
		 callback);
	return status;
}

uint32_t slice_store_tracks(const struct slice_store *store, uint32_t level)
{
	return (uint32_t)store->levels[level].count;
}

int slice_store_flush(struct slice_store *store)
{
	int status = 0;

	for (size_t i = 0; i < SLICE_LEVELS_MOST; i++)
		for (size_t j = 0; j < store->levels[i].count && !status; j++) {
			struct series *series = array_at(&store->levels[i], j);

			if (series->newest.count)
				status = flush(store, series);
		}
	return status;
}

static void pack_chunk(struct slice_chunk *chunk, struct pack *pack)
{
	chunk_pack(&chunk->chunk, pack);
	pack_u64(pack, &chunk->first_ns);
	pack_u64(pack, &chunk->last_ns);
	pack_check(pack, chunk->chunk.size % sizeof(struct view_slice) == 0);
}

static void pack_series(struct series *series, struct pack *pack)
{
	uint32_t count = (uint32_t)series->chunks.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct slice_chunk *chunk = array_reach(&series->chunks, i);

		if (chunk)
			pack_chunk(chunk, pack);
		pack_check(pack, chunk);
	}
}

void slice_store_pack(struct slice_store *store, struct pack *pack)
{
	for (size_t i = 0; i < SLICE_LEVELS_MOST; i++) {
		struct array *level = &store->levels[i];
		uint32_t count = (uint32_t)level->count;

		pack_u32(pack, &count);
		pack_check(pack, count <= TRACK_MOST);
		for (uint32_t j = 0; j < count && !pack->failed; j++) {
			struct series *series = add_series(level, j);

			if (series)
				pack_series(series, pack);
			pack_check(pack, series);
		}
	}
}
