/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FRAME_FIXTURE_H
#define KT_TESTS_FRAME_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

/* This is what a trace formatter gets: bytes of several sources, as they come.
 */
struct frame_byte {
	uint8_t id;
	uint8_t byte;
	size_t frame; /* set: where the frame begins that has it */
};

/* Writes @count bytes as formatted frames to @to, the last filled up as a
 * flush does (Arm CoreSight Architecture Specification, "Trace formatter").
 * Each @every frames the id is repeated at a frame's beginning.  Returns the
 * size, which is below FRAME_FIXTURE_ROOM(@count).
 */
#define FRAME_FIXTURE_ROOM(count) ((count)*3 + 64)
size_t frame_fixture_write(uint8_t *to, struct frame_byte *bytes, size_t count,
			   unsigned int every);

#endif
