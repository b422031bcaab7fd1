/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/formats/generated_chunk.h"
#include "common/memory.h"
#include "decoder/generated/generated_image.h"
#include "decoder/generated/generated_names.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

enum { START = 0x10000, PAGES = 4 };

static int read_sources(const uint8_t *bytes, size_t size,
			struct array *sources)
{
	struct generated_chunk chunk;
	const uint8_t *page;
	size_t place = 0;
	int error = 0;

	while (!error &&
	       generated_chunk_read(bytes, size, &place, &chunk, &page)) {
		const struct generated_source source = {
			.since_ns = chunk.since_ns,
			.begin_ns = chunk.begin_ns,
			.end_ns = chunk.end_ns,
			.is_writable = chunk.flags & 1,
			.is_listed = chunk.flags & 2,
			.bytes = page,
		};

		error = generated_source_add(sources, source, chunk.address,
					     chunk.address + chunk.size);
	}
	generated_sources_sort(sources);
	return error;
}

/* Each image has the bytes of its pages only, and its times are in order. */
static void check_images(const struct array *events)
{
	uint64_t time_ns = 0;

	for (size_t i = 0; i < events->count; i++) {
		const struct generated_event *event = array_at(events, i);

		if (event->time_ns < time_ns)
			abort();
		time_ns = event->time_ns;
		for (uint64_t at = START; at < START + PAGES * 4096; at += 8) {
			size_t left;

			if (generated_image_bytes(event->image, at, &left) &&
			    (!left || left > 4096))
				abort();
		}
	}
}

/* A file of copies of generated code, of one area with two mappings. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct generated_mapping mappings[] = {
		{ 100, START, START + PAGES * 4096, false },
		{ 2000, START, START + 4096, true },
	};
	const struct array listed = { mappings, 2, 2, sizeof(*mappings) };
	struct generated_names names = generated_names_none();
	struct generated_budget budget = { 16, 64 };
	struct array sources = ARRAY_OF(struct generated_source);
	struct array events = ARRAY_OF(struct generated_event);
	struct arena *arena = arena_new();

	if (arena && !read_sources(bytes, size, &sources)) {
		const struct generated_area area = {
			.address = START,
			.size_bytes = PAGES * 4096,
			.time_ns = 100,
			.mappings = &listed,
			.names = &names,
			.sources = sources.items,
			.source_count = sources.count,
		};

		if (!generated_images_make(&area, &budget, arena, &events))
			check_images(&events);
	}
	generated_names_free(&names);
	array_free(&sources);
	array_free(&events);
	arena_free(arena);
	return 0;
}
