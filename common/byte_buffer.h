/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_BYTE_BUFFER_H
#define KT_COMMON_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a record or a section that grow while it is put together.
 *
 * When memory runs out, @failed is set and nothing more is added: check
 * once, at the end.
 */
struct byte_buffer {
	uint8_t *bytes;
	size_t size;
	size_t room;
	bool failed;
};

/* Returns where @more bytes may be written, behind those that are there, which
 * become part of it when the caller adds them to its size; NULL when out of memory.
 * What was returned before is no longer valid.
 */
uint8_t *byte_buffer_reserve(struct byte_buffer *buffer, size_t more);

/* Appends a copy of @size bytes. */
void byte_buffer_add(struct byte_buffer *buffer, const void *bytes,
		     size_t size);
void byte_buffer_zeros(struct byte_buffer *buffer, size_t size);
void byte_buffer_u32(struct byte_buffer *buffer, uint32_t value);
void byte_buffer_u64(struct byte_buffer *buffer, uint64_t value);

/* Appends @text and its NUL. */
void byte_buffer_text(struct byte_buffer *buffer, const char *text);

/* Appends zeros until the size is a multiple of @alignment. */
void byte_buffer_align(struct byte_buffer *buffer, size_t alignment);

/* Appends all of the file at @path, whose stated size is not trusted (files
 * of /proc and tracefs state 0).
 *
 * Returns 0; -ERROR_SYSTEM, errno set, if it cannot be read, and @buffer is
 * then as it was.
 */
int byte_buffer_file(struct byte_buffer *buffer, const char *path);

/* Frees the bytes; the buffer is empty then and may be used again. */
void byte_buffer_free(struct byte_buffer *buffer);

#endif
