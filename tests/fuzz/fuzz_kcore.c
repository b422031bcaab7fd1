/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/files/file_map.h"
#include "decoder/code/code_region.h"
#include "tests/fuzz/fuzz.h"

#include <unistd.h>

/* The copy of the kernel's code. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct file_map map = { bytes, size };
	struct array regions = ARRAY_OF(struct code_region);
	struct array descriptors = ARRAY_OF(int);
	struct array known = ARRAY_OF(struct code_known);

	code_region_read_kcore("kcore", &map, false, NULL, &regions,
			       &descriptors, &known);
	for (size_t i = 0; i < regions.count; i++) {
		struct code_region *region = array_at(&regions, i);

		code_region_find(&regions, region->first);
		code_region_unmap(region);
	}
	for (size_t i = 0; i < descriptors.count; i++)
		close(*(int *)array_at(&descriptors, i));
	array_free(&regions);
	array_free(&descriptors);
	array_free(&known);
	return 0;
}
