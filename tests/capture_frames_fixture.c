/* SPDX-License-Identifier: MIT */
#include "tests/capture_frames_fixture.h"
#include "tests/frame_fixture.h"

#include <check.h>
#include <stdlib.h>

static void add_bytes(struct frame_byte *bytes, size_t *count, uint8_t id,
		      const uint8_t *from, size_t end, size_t *done,
		      size_t wanted)
{
	for (size_t i = 0; i < wanted && *done < end; i++)
		bytes[(*count)++] = (struct frame_byte){
			.id = id,
			.byte = from[(*done)++],
		};
}

/* The units write by turns, from one to nine bytes. */
static size_t mix(struct frame_byte *bytes, uint8_t *const bare[2],
		  const size_t ends[2])
{
	size_t done[2] = { 0, 0 }, count = 0;

	for (size_t i = 0; done[0] < ends[0] || done[1] < ends[1]; i++)
		add_bytes(bytes, &count, (uint8_t)(CAPTURE_FIRST_ID + i % 2),
			  bare[i % 2], ends[i % 2], &done[i % 2],
			  1 + i * 5 % 9);
	return count;
}

/* Converts offsets in one unit's bytes to offsets in the file. */
static void find_places(const struct frame_byte *bytes, size_t count,
			size_t unit, size_t *places, size_t syncs)
{
	size_t at = 0, sync = 0;

	for (size_t i = 0; i < count && sync < syncs; i++) {
		if (bytes[i].id != CAPTURE_FIRST_ID + unit)
			continue;
		if (at++ == places[sync])
			places[sync++] = bytes[i].frame;
	}
}

size_t capture_frames_write(const struct capture_frames *frames, uint8_t *to,
			    size_t *const places[2])
{
	const size_t room = CAPTURE_ROOM(frames->syncs, frames->rounds);
	struct frame_byte *bytes = calloc(2 * room, sizeof(*bytes));
	uint8_t *bare[2] = { malloc(room), malloc(room) };
	size_t ends[2], count, size;

	ck_assert(bytes && bare[0] && bare[1]);
	for (size_t i = 0; i < 2; i++)
		ends[i] = capture_fixture_trace(frames->kinds[i], frames->syncs,
						frames->rounds, bare[i],
						places[i]);
	count = mix(bytes, bare, ends);
	size = frame_fixture_write(to, bytes, count, frames->every);
	for (size_t i = 0; i < 2; i++) {
		find_places(bytes, count, i, places[i], frames->syncs);
		free(bare[i]);
	}
	free(bytes);
	return size;
}
