/* SPDX-License-Identifier: MIT */
#include "execution/instruction/instruction_read.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static void read_one(enum instruction_set set, const uint8_t *bytes,
		     size_t size)
{
	struct instruction read;
	int status =
		instruction_read(set, UINT64_MAX - size, bytes, size, &read);

	if (status > 0 &&
	    (read.length == 0 || read.length > size || read.length > 15 ||
	     read.kind > INSTRUCTION_FAR_JUMP))
		abort();
}

/* Bytes of code, at every address, of every kind. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at < size; at++)
		for (int set = 0; set < INSTRUCTION_SETS; set++)
			read_one((enum instruction_set)set, bytes + at,
				 size - at);
	return 0;
}
