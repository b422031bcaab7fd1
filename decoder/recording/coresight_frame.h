/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_FRAME_H
#define KT_DECODER_CORESIGHT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a frame of the CoreSight trace formatter, in which the bytes of
 * several trace sources lie mixed.
 */
enum { CORESIGHT_FRAME_SIZE = 16, CORESIGHT_ID_COUNT = 128 };

/* Sets has_bytes[id] for each source that has bytes in the whole frames at
 * @bytes (Arm CoreSight Architecture Specification, "Trace formatter").
 */
void coresight_frame_find_ids(const uint8_t *bytes, size_t size,
			      bool has_bytes[CORESIGHT_ID_COUNT]);

#endif
