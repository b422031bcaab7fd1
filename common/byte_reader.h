/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_BYTE_READER_H
#define KT_COMMON_BYTE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads untrusted bytes from front to back and never past their end.
 *
 * After the first read that does not fit, @failed is set, every read yields
 * zero, empty or NULL, and the position no longer moves, so that callers need
 * only check once, at the end. Integers are little endian, as in every
 * recording we read.
 */
struct byte_reader {
	const uint8_t *bytes; /* borrowed */
	size_t size;
	size_t position;
	bool failed;
};

struct byte_reader byte_reader_of(const void *bytes, size_t size);

uint8_t byte_reader_u8(struct byte_reader *reader);
uint16_t byte_reader_u16(struct byte_reader *reader);
uint32_t byte_reader_u32(struct byte_reader *reader);
uint64_t byte_reader_u64(struct byte_reader *reader);

/* Returns the next @size bytes in place, or NULL. */
const uint8_t *byte_reader_bytes(struct byte_reader *reader, size_t size);

/* Returns the text in place and moves past its NUL; "" if there is no NUL. */
const char *byte_reader_text(struct byte_reader *reader);

/* Returns how many bytes are left; 0 after a failure. */
size_t byte_reader_left(const struct byte_reader *reader);

#endif
