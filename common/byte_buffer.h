/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_BYTE_BUFFER_H
#define KT_COMMON_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing buffer for a record or a section under construction.
 *
 * When memory runs out, @failed is set and nothing more is added, so that
 * callers need only check once, at the end.
 */
struct byte_buffer {
	uint8_t *bytes;
	size_t size;
	size_t room;
	bool failed;
};

/* Returns space for @more bytes after the present ones; the caller adds them by
 * increasing the buffer's size. Returns NULL when out of memory. Pointers
 * returned before become invalid.
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

/* Appends the whole file at @path. Does not rely on the reported file size (0
 * for files of /proc and tracefs).
 *
 * Returns 0; -ERROR_SYSTEM, errno set, if it cannot be read, and @buffer is
 * then unchanged.
 */
int byte_buffer_file(struct byte_buffer *buffer, const char *path);

/* Frees the bytes; the buffer is then empty and can be reused. */
void byte_buffer_free(struct byte_buffer *buffer);

#endif
