/* SPDX-License-Identifier: MIT */
#include "decoder/recording/coresight_frame.h"

#include <string.h>

enum { LAST = CORESIGHT_FRAME_SIZE - 1 };

static void add(struct coresight_frame *frame, uint8_t id, unsigned int place,
		uint8_t byte)
{
	frame->ids[frame->count] = id;
	frame->places[frame->count] = (uint8_t)place;
	frame->bytes[frame->count] = byte;
	frame->count++;
}

/* An even byte with bit 0 set is a new ID; its bit in the last byte is set if
 * the following byte still belongs to the previous source. Bit 0 of other even
 * bytes is in the last byte.
 */
void coresight_frame_read(const uint8_t *from, uint8_t *id,
			  struct coresight_frame *frame)
{
	frame->count = 0;
	for (unsigned int i = 0; i < LAST; i += 2) {
		uint8_t bit = from[LAST] >> (i / 2) & 1;
		uint8_t old = *id;

		if (from[i] & 1)
			*id = from[i] >> 1;
		else
			add(frame, old, i, from[i] | bit);
		if (i + 1 < LAST)
			add(frame, from[i] & 1 && bit ? old : *id, i + 1,
			    from[i + 1]);
	}
}

bool coresight_frame_is_barrier(const uint8_t *from)
{
	static const uint8_t word[] = { 0xff, 0xff, 0xff, 0x7f };

	for (size_t i = 0; i < CORESIGHT_FRAME_SIZE; i += sizeof(word))
		if (memcmp(from + i, word, sizeof(word)))
			return false;
	return true;
}

void coresight_frame_find_ids(const uint8_t *bytes, size_t size, uint8_t *id,
			      bool has_bytes[CORESIGHT_ID_COUNT])
{
	struct coresight_frame frame;

	for (size_t at = 0; size - at >= CORESIGHT_FRAME_SIZE;
	     at += CORESIGHT_FRAME_SIZE) {
		coresight_frame_read(bytes + at, id, &frame);
		for (size_t i = 0; i < frame.count; i++)
			has_bytes[frame.ids[i]] = true;
	}
}
