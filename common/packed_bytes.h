/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_PACKED_BYTES_H
#define KT_COMMON_PACKED_BYTES_H

/* Encodes bytes for the formats of other programs and for HTML pages. When out
 * of memory, the buffer fails (struct byte_buffer).
 */

#include "common/bytes.h"

/* Appends @size bytes compressed with gzip. */
void byte_buffer_gzip(struct byte_buffer *buffer, const void *bytes,
		      size_t size);

/* Appends @size bytes as text in base64 (RFC 4648), without a NUL. */
void byte_buffer_base64(struct byte_buffer *buffer, const void *bytes,
			size_t size);

#endif
