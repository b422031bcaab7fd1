/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/memory.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/snapshot/snapshot.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* Words are aligned where recordings have them. */
static void read_units(const uint8_t *bytes, size_t size)
{
	struct array units = ARRAY_OF(struct coresight_unit);
	size_t count = size / sizeof(uint64_t);
	uint64_t *words = malloc(count * sizeof(*words) + 1);

	if (words) {
		memcpy(words, bytes, count * sizeof(*words));
		coresight_units_read(words, count, &units);
	}
	free(words);
	array_free(&units);
}

/* The ini files of a snapshot, AUXTRACE_INFO of CoreSight, formatted frames. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct array dumps = ARRAY_OF(struct snapshot_dump);
	struct arena *arena = arena_new();
	struct snapshot_device device;
	struct snapshot_trace trace;
	bool has_bytes[CORESIGHT_ID_COUNT] = { false };
	uint8_t id = 0;

	if (arena) {
		snapshot_device_read(bytes, size, arena, &device, &dumps);
		snapshot_trace_read(bytes, size, arena, &trace);
		snapshot_trace_free(&trace);
	}
	coresight_frame_find_ids(bytes, size, &id, has_bytes);
	read_units(bytes, size);
	array_free(&dumps);
	arena_free(arena);
	return 0;
}
