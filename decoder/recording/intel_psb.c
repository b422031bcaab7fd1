/* SPDX-License-Identifier: MIT */
#include "decoder/recording/intel_psb.h"

#include <string.h>

enum { PSB_PERIOD = 2 };

const uint8_t intel_psb[INTEL_PSB_SIZE] = {
	2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
};

size_t intel_psb_find(const uint8_t *bytes, size_t size, size_t from)
{
	if (from >= size)
		return size;

	const uint8_t *found =
		memmem(bytes + from, size - from, intel_psb, INTEL_PSB_SIZE);

	if (!found)
		return size;

	size_t at = (size_t)(found - bytes);

	/* The end of the previous packet may look like the start of a PSB. */
	while (size - at >= PSB_PERIOD + INTEL_PSB_SIZE &&
	       !memcmp(bytes + at + PSB_PERIOD, intel_psb, INTEL_PSB_SIZE))
		at += PSB_PERIOD;
	return at;
}

/* A PSB, and bytes before it that may look like its start. */
enum { PSB_REACH = 2 * INTEL_PSB_SIZE, REACH_STEP = 1 << 14 };

size_t intel_psb_reach(const uint8_t *bytes, size_t size, size_t from,
		       intel_psb_reach_bytes *reach, void *ctx)
{
	if (!reach)
		return intel_psb_find(bytes, size, from);
	while (from < size) {
		size_t end = size - from < REACH_STEP ? size :
							from + REACH_STEP;
		size_t found;

		bytes = reach(ctx, from, end);
		found = intel_psb_find(bytes, end, from);
		if (end == size)
			return found;
		if (found + PSB_REACH < end)
			return found;
		from = found < end ? found : end - PSB_REACH;
	}
	return size;
}
