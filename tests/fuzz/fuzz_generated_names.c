/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/memory.h"
#include "decoder/generated/generated_names.h"
#include "decoder/recording/generated_code.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* The runs of addresses do not overlap, and are in order. */
static int check_run(void *ctx, const struct generated_run *run,
		     const char *name)
{
	uint64_t *end = ctx;

	if (run->start < *end || run->end <= run->start || !*name)
		abort();
	*end = run->end;
	return 0;
}

/* Bytes at 0x1000 were replaced twice. */
static int settle(struct generated_names *names)
{
	struct generated_replacement list[] = {
		{ 0x1000, 0, 500, { UINT64_MAX }, { UINT64_MAX } },
		{ 0x1000, 800, 900, { 3, 0, 0, 1 }, { 1 } },
	};
	static const struct generated_extent extent = { 0x1000, 0x3000, 0,
							UINT64_MAX };
	struct array replacements = { list, 2, 2, sizeof(*list) };
	struct array others = ARRAY_OF(uint64_t);
	int error =
		generated_times_settle(names, &extent, &replacements, &others);

	array_free(&others);
	return error ? error : generated_names_list_times(names);
}

static void use(struct generated_names *names)
{
	static const uint64_t times[] = { 0, 1, 1000, UINT64_MAX };

	if (generated_names_finish(names) || settle(names))
		return;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		uint64_t end = 0;

		generated_names_epoch(names, times[i]);
		generated_names_visit(names, times[i], check_run, &end);
	}
	generated_names_are_single(names, 0x1000, 0x1010);
	for (size_t i = 0; i < names->names.count; i++) {
		const char *file;
		int line;

		generated_name_line(array_at(&names->names, i), 8, &file,
				    &line);
	}
}

/* The functions that a program lists: as a perf map, and as a jitdump. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct generated_clock clock = { 1000, 2000 };
	struct generated_names map = generated_names_none();
	struct generated_names dump = generated_names_none();
	struct arena *arena = arena_new();

	if (arena &&
	    !generated_names_add_map(&map, (const char *)bytes, size, arena))
		use(&map);
	if (arena && !generated_names_add_dump(&dump, bytes, size, &clock,
					       arena, "jit-1.dump", NULL))
		use(&dump);
	generated_names_free(&map);
	generated_names_free(&dump);
	arena_free(arena);
	return 0;
}
