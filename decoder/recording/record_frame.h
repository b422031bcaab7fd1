/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORD_FRAME_H
#define KT_DECODER_RECORD_FRAME_H

#include "decoder/recording/record_walk.h"

/* Reads the record at the start of @bytes, @size of which are there.
 *
 * Returns NULL and @record, with all but its file_offset, or a text that says
 * what is wrong with it.  *@length is how far it is to the next record.
 */
const char *record_frame_read(const uint8_t *bytes, uint64_t size,
			      struct record *record, uint64_t *length);

#endif
