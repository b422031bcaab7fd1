/* SPDX-License-Identifier: MIT */
#include "decoder/recording/snapshot_overlap.h"

#include "decoder/recording/intel_psb.h"

#include <string.h>

/* The time packet after a PSB makes these bytes unique. */
enum { KEY_SIZE = 48 };

size_t snapshot_overlap(const uint8_t *before, size_t before_size,
			const uint8_t *next, size_t next_size)
{
	const uint8_t *key = memmem(next, next_size, intel_psb, INTEL_PSB_SIZE);

	if (!key)
		return 0;

	size_t lead = (size_t)(key - next);
	size_t key_size = next_size - lead < KEY_SIZE ? next_size - lead :
							KEY_SIZE;
	const uint8_t *found = memmem(before, before_size, key, key_size);

	if (!found)
		return 0;

	/* Everything from there to the end of @before must also be in @next. */
	size_t shared = before_size - (size_t)(found - before);

	if (shared > next_size - lead || memcmp(found, key, shared))
		return 0;
	return lead + shared;
}
