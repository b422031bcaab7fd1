/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_FRAME_FIXTURE_H
#define KT_TESTS_FRAME_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

/* The input of a trace formatter: bytes of several sources, in order. */
struct frame_byte {
	uint8_t id;
	uint8_t byte;
	/* set by frame_fixture_write(): offset of the byte's frame */
	size_t frame;
};

/* Writes @count bytes as formatted frames to @to; the last frame is filled up
 * as by a flush (Arm CoreSight Architecture Specification, "Trace formatter").
 * The id is repeated at the start of every @every frames. Returns the size,
 * which is below FRAME_FIXTURE_ROOM(@count).
 */
#define FRAME_FIXTURE_ROOM(count) ((count)*3 + 64)
size_t frame_fixture_write(uint8_t *to, struct frame_byte *bytes, size_t count,
			   unsigned int every);

#endif
