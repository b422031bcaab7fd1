/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_FRAME_H
#define KT_DECODER_CORESIGHT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of a frame of the CoreSight trace formatter, in which the bytes of
 * several trace sources are mixed (Arm CoreSight Architecture Specification,
 * "Trace formatter"). In memory frames are adjacent.
 */
enum { CORESIGHT_FRAME_SIZE = 16, CORESIGHT_ID_COUNT = 128 };

/* The contents of a frame: its bytes in order, each with its source and its
 * position in the frame.
 */
struct coresight_frame {
	uint8_t count;
	uint8_t ids[CORESIGHT_FRAME_SIZE];
	uint8_t places[CORESIGHT_FRAME_SIZE];
	uint8_t bytes[CORESIGHT_FRAME_SIZE];
};

/* Parses the whole frame at @from. *@id is the source of the bytes until the
 * frame sets another: 0, no source, at the start of a buffer.
 */
void coresight_frame_read(const uint8_t *from, uint8_t *id,
			  struct coresight_frame *frame);

/* Returns whether the whole frame at @from is a barrier of the kernel, four
 * synchronization words: the trace before it was overwritten
 * (linux/coresight.h: CORESIGHT_BARRIER_PKT_SIZE).
 */
bool coresight_frame_is_barrier(const uint8_t *from);

/* Sets has_bytes[id] for each source that has bytes in the whole frames at
 * @bytes; *@id as for coresight_frame_read().
 */
void coresight_frame_find_ids(const uint8_t *bytes, size_t size, uint8_t *id,
			      bool has_bytes[CORESIGHT_ID_COUNT]);

#endif
