/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_last_context.h"

#include <string.h>

enum { HAS_VMID = 0x40, HAS_CONTEXT_ID = 0x80 };

static const uint8_t has_id[2] = { HAS_VMID, HAS_CONTEXT_ID };

void coresight_last_context_note(struct coresight_last_context *last,
				 const uint8_t *sizes, const uint8_t *bytes)
{
	const uint8_t known = last->info & (HAS_VMID | HAS_CONTEXT_ID);
	const uint8_t info = *bytes++;

	last->is_known = true;
	last->info = known | info;
	for (size_t i = 0; i < 2; i++)
		if (info & has_id[i]) {
			memcpy(last->ids[i], bytes, sizes[i]);
			bytes += sizes[i];
		}
}

size_t coresight_last_context_write(const struct coresight_last_context *last,
				    const uint8_t *sizes, uint8_t *bytes)
{
	size_t size = 0;

	bytes[size++] = last->info;
	for (size_t i = 0; i < 2; i++)
		if (last->info & has_id[i]) {
			memcpy(bytes + size, last->ids[i], sizes[i]);
			size += sizes[i];
		}
	return size;
}
