/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORD_BYTES_H
#define KT_COLLECTOR_RECORD_BYTES_H

#include "common/bytes.h"

/* Starts a record of @type in @bytes. Returns its offset. */
size_t record_begin(struct byte_buffer *bytes, uint32_t type, uint16_t misc);

/* Ends the record at offset @place: writes its size, a multiple of 8, into its
 * header.
 */
void record_end(struct byte_buffer *bytes, size_t place);

/* Like record_end(), but first appends the fields that attr.sample_id_all adds
 * to the kernel's own records, all zero: time 0, before all other records.
 */
void record_end_sample_id(struct byte_buffer *bytes, size_t place);

#endif
