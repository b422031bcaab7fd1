/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_CAPTURE_FRAMES_FIXTURE_H
#define KT_TESTS_CAPTURE_FRAMES_FIXTURE_H

#include "tests/capture_fixture.h"

/* The traces of two units of a capture, as capture_fixture_trace() makes them,
 * mixed in the frames of a shared sink. The source id is repeated every @every
 * frames.
 */
struct capture_frames {
	enum capture_name kinds[2];
	size_t syncs;
	size_t rounds;
	unsigned int every;
};

/* Fills @to, of FRAME_FIXTURE_ROOM(2 * CAPTURE_ROOM(syncs, rounds)) bytes; sets
 * @places[i] to the offsets of the frames where unit i's sync points start.
 * Returns the size.
 */
size_t capture_frames_write(const struct capture_frames *frames, uint8_t *to,
			    size_t *const places[2]);

#endif
