/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/memory.h"
#include "decoder/recording/tracepoint.h"
#include "tests/fuzz/fuzz.h"

/* The formats of tracepoints, framed and alone. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct array tracepoints = ARRAY_OF(struct tracepoint);
	struct arena *arena = arena_new();
	struct tracepoint tracepoint;

	if (arena) {
		tracing_data_read(bytes, size, arena, &tracepoints);
		tracepoint_format_read((const char *)bytes, size, arena,
				       &tracepoint);
	}
	array_free(&tracepoints);
	arena_free(arena);
	return 0;
}
