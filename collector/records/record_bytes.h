/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORD_BYTES_H
#define KT_COLLECTOR_RECORD_BYTES_H

#include "common/byte_buffer.h"

/* Begins a record of @type in @bytes.  Returns its place. */
size_t record_begin(struct byte_buffer *bytes, uint32_t type, uint16_t misc);

/* Ends the record at @place: its size, a multiple of 8, goes into its header.
 */
void record_end(struct byte_buffer *bytes, size_t place);

/* As record_end(), with the fields before it that attr.sample_id_all adds to
 * the kernel's own records, all zero: before everything else.
 */
void record_end_sample_id(struct byte_buffer *bytes, size_t place);

#endif
