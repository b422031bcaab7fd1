/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_BIT_WRITER_H
#define KT_REPORT_BIT_WRITER_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Bits on their way to memory, the first one lowest in its byte (RFC 1951,
 * 3.1.1).  Whoever writes sees to the room, and to BIT_WRITER_SLACK bytes more.
 */
struct bit_writer {
	uint8_t *at;
	uint64_t bits; /* that have not filled a byte yet */
	uint32_t count;
};

enum { BIT_WRITER_SLACK = 8, BIT_WRITER_MOST = 56 };

/* Writes the low @count bits of @bits, whose others are 0: at most
 * BIT_WRITER_MOST.
 */
static inline void bit_writer_put(struct bit_writer *writer, uint64_t bits,
				  uint32_t count)
{
	uint64_t bytes;

	writer->bits |= bits << writer->count;
	writer->count += count;
	bytes = htole64(writer->bits);
	memcpy(writer->at, &bytes, sizeof(bytes));
	writer->at += writer->count / 8;
	writer->bits >>= writer->count & ~7u;
	writer->count %= 8;
}

/* Fills the last byte with zeros.  Returns the end. */
static inline uint8_t *bit_writer_end(struct bit_writer *writer)
{
	if (writer->count)
		bit_writer_put(writer, 0, 8 - writer->count);
	return writer->at;
}

#endif
