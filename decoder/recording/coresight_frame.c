/* SPDX-License-Identifier: MIT */
#include "decoder/recording/coresight_frame.h"

enum { LAST = CORESIGHT_FRAME_SIZE - 1 };

/* An even byte with bit 0 set is a new id; its bit in the last byte tells
 * whether the byte behind it still belongs to the one before.
 */
static uint8_t read_frame(const uint8_t *frame, uint8_t id,
			  bool has_bytes[CORESIGHT_ID_COUNT])
{
	for (unsigned int i = 0; i < LAST; i += 2) {
		bool has_data_behind = i + 1 < LAST;
		bool is_late = frame[LAST] >> (i / 2) & 1;

		if (!(frame[i] & 1)) {
			has_bytes[id] = true;
			continue;
		}
		if (has_data_behind && is_late)
			has_bytes[id] = true;
		id = frame[i] >> 1;
		if (has_data_behind && !is_late)
			has_bytes[id] = true;
	}
	return id;
}

void coresight_frame_find_ids(const uint8_t *bytes, size_t size,
			      bool has_bytes[CORESIGHT_ID_COUNT])
{
	uint8_t id = 0;

	for (size_t at = 0; size - at >= CORESIGHT_FRAME_SIZE;
	     at += CORESIGHT_FRAME_SIZE)
		id = read_frame(bytes + at, id, has_bytes);
}
