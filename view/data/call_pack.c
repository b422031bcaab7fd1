/* SPDX-License-Identifier: MIT */
/* Writes and reads call sums in a file, which is untrusted. */
#include "common/bytes.h"
#include "common/error.h"
#include "view/data/call_store.h"

#include <stdlib.h>
#include <string.h>

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
	return path->parent < i && path->function < functions;
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

static void pack_span(struct call_span *span, struct pack *pack)
{
	uint32_t count = (uint32_t)span->frames.count;

	if (pack->is_reading)
		span->frames = ARRAY_OF(struct call_frame);
	pack_u64(pack, &span->begin_ns);
	pack_u64(pack, &span->end_ns);
	pack_bool(pack, &span->is_left_out);
	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct call_frame *frame = array_reach(&span->frames, i);

		if (frame)
			pack_frame(frame, pack);
		pack_check(pack, frame);
	}
}

void call_sums_pack(struct call_sums *sums, struct pack *pack,
		    uint32_t functions)
{
	pack_paths(sums, pack, functions);
	pack_parts(sums, pack);
	for (uint32_t level = 0; level < CALL_LEVELS_MOST; level++) {
		uint32_t count = (uint32_t)sums->levels[level].count;

		pack_u32(pack, &count);
		for (uint32_t i = 0; i < count && !pack->failed; i++) {
			struct call_span *span =
				array_reach(&sums->levels[level], i);

			if (span)
				pack_span(span, pack);
			pack_check(pack, span);
		}
	}
}
