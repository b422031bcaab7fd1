/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORD_FRAME_H
#define KT_DECODER_RECORD_FRAME_H

#include "decoder/recording/record_walk.h"

/* Reads the record at the start of @bytes, of which @size are available.
 *
 * Returns NULL and @record, with everything except its file_offset, or a text
 * that describes the error. *@length is the distance to the next record.
 */
const char *record_frame_read(const uint8_t *bytes, uint64_t size,
			      struct record *record, uint64_t *length);

#endif
