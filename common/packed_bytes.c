/* SPDX-License-Identifier: MIT */
#include "common/packed_bytes.h"

#include <libdeflate.h>

void byte_buffer_gzip(struct byte_buffer *buffer, const void *bytes,
		      size_t size)
{
	enum { LEVEL = 6 };
	struct libdeflate_compressor *compressor =
		libdeflate_alloc_compressor(LEVEL);
	size_t room = libdeflate_gzip_compress_bound(compressor, size);
	uint8_t *at = compressor ? byte_buffer_reserve(buffer, room) : NULL;

	if (at)
		buffer->size += libdeflate_gzip_compress(compressor, bytes,
							 size, at, room);
	else
		buffer->failed = true;
	libdeflate_free_compressor(compressor);
}

void byte_buffer_base64(struct byte_buffer *buffer, const void *bytes,
			size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *from = bytes;
	uint8_t *at = byte_buffer_reserve(buffer, (size + 2) / 3 * 4);

	for (size_t i = 0; at && i < size; i += 3) {
		size_t left = size - i;
		uint32_t group = (uint32_t)from[i] << 16 |
				 (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
				 (left > 2 ? from[i + 2] : 0u);

		*at++ = (uint8_t)digits[group >> 18];
		*at++ = (uint8_t)digits[group >> 12 & 63];
		*at++ = left > 1 ? (uint8_t)digits[group >> 6 & 63] : '=';
		*at++ = left > 2 ? (uint8_t)digits[group & 63] : '=';
		buffer->size += 4;
	}
}
