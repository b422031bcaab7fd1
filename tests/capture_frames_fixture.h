/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_CAPTURE_FRAMES_FIXTURE_H
#define KT_TESTS_CAPTURE_FRAMES_FIXTURE_H

#include "tests/capture_fixture.h"

/* This is what two units of a capture write, as capture_fixture_trace() has
 * it, mixed in the frames of a shared sink, each of which @every repeats
 * the id.
 */
struct capture_frames {
	enum capture_name kinds[2];
	size_t syncs;
	size_t rounds;
	unsigned int every;
};

/* Fills @to, of FRAME_FIXTURE_ROOM(2 * CAPTURE_ROOM(syncs, rounds)) bytes;
 * sets @places[i] to the frames where unit i's synchronisation points begin.
 * Returns the size.
 */
size_t capture_frames_write(const struct capture_frames *frames, uint8_t *to,
			    size_t *const places[2]);

#endif
