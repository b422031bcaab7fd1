/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/branch_internal.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

/* Bytes of code, at every address. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at < size; at++) {
		size_t left = size - at < 64 ? size - at : 64;

		if (instruction_length(bytes + at, left) > left)
			abort();
		branch_read(bytes + at, left);
		block_looks_slow(bytes + at, left, left / 2);
	}
	return 0;
}
