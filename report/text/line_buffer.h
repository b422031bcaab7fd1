/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_LINE_BUFFER_H
#define KT_REPORT_LINE_BUFFER_H

#include "report/text/duration_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BUFFER_BYTES = 4096, LINE_BUFFER_WIDEST = 32 };

/* A buffer of lines for a FILE. Before writing to the FILE directly, flush the
 * buffer. Write errors are recorded in the FILE (ferror).
 *
 * A line-buffered FILE (setvbuf's _IOLBF) has a reader that waits for lines: it
 * receives each line when it ends, unless lines arrive faster than anybody
 * could read.
 *
 * Without a FILE all lines are stored for line_buffer_kept().
 */
struct line_buffer {
	FILE *out; /* borrowed, or NULL */
	char *kept;
	size_t cached_size;
	bool is_cut; /* memory was not sufficient for all lines */
	size_t size;
	bool is_live;
	uint32_t live_lines; /* lines of the current interval */
	uint64_t live_ms;    /* start of the current interval */
	char bytes[LINE_BUFFER_BYTES];
};

void line_buffer_start(struct line_buffer *buffer, FILE *out);

/* Writes everything to the FILE. */
void line_buffer_flush(struct line_buffer *buffer);

/* Returns everything that was written without a FILE, and sets *@size to its
 * size without the final 0; NULL if memory was not sufficient. The caller frees
 * it.
 */
char *line_buffer_kept(struct line_buffer *buffer, size_t *size);

/* Writes the buffered lines if a reader waits for them. Must be called at the
 * end of a line.
 */
void line_buffer_show(struct line_buffer *buffer);

static inline void line_buffer_end(struct line_buffer *buffer)
{
	if (buffer->is_live)
		line_buffer_show(buffer);
}

/* Returns room for @size bytes, at most LINE_BUFFER_BYTES. The caller writes to
 * it and advances buffer->size by the number of written bytes.
 */
static inline char *line_buffer_room(struct line_buffer *buffer, size_t size)
{
	if (size > sizeof(buffer->bytes) - buffer->size)
		line_buffer_flush(buffer);
	return buffer->bytes + buffer->size;
}

/* Like line_buffer_put(), for any number of bytes. */
void line_buffer_put_long(struct line_buffer *buffer, const void *bytes,
			  size_t size);

static inline void line_buffer_put(struct line_buffer *buffer,
				   const void *bytes, size_t size)
{
	if (size > sizeof(buffer->bytes) - buffer->size) {
		line_buffer_put_long(buffer, bytes, size);
		return;
	}
	memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
}

static inline void line_buffer_text(struct line_buffer *buffer,
				    const char *text)
{
	line_buffer_put(buffer, text, strlen(text));
}

static inline void line_buffer_number(struct line_buffer *buffer,
				      uint64_t value)
{
	char *text = line_buffer_room(buffer, DIGITS_MOST);

	buffer->size += digits_decimal(text, value);
}

static inline void line_buffer_signed(struct line_buffer *buffer, int64_t value)
{
	char *text = line_buffer_room(buffer, DIGITS_MOST);

	buffer->size += digits_signed(text, value);
}

void line_buffer_many_spaces(struct line_buffer *buffer, size_t count);

static inline void line_buffer_spaces(struct line_buffer *buffer, size_t count)
{
	enum { FEW = 48 };

	if (count > FEW) {
		line_buffer_many_spaces(buffer, count);
		return;
	}
	/* A constant, so that the compiler can inline memset(). */
	memset(line_buffer_room(buffer, FEW), ' ', FEW);
	buffer->size += count;
}

/* Like line_buffer_aligned(), for numbers of two digits or more. */
void line_buffer_align_many(struct line_buffer *buffer, uint64_t value,
			    size_t width);

/* Like printf's %*PRIu64. @width is from 1 to LINE_BUFFER_WIDEST. */
static inline void line_buffer_aligned(struct line_buffer *buffer,
				       uint64_t value, size_t width)
{
	char *text;

	if (value >= 10) {
		line_buffer_align_many(buffer, value, width);
		return;
	}
	text = line_buffer_room(buffer, LINE_BUFFER_WIDEST);
	memset(text, ' ', LINE_BUFFER_WIDEST);
	text[width - 1] = (char)('0' + value);
	buffer->size += width;
}

#endif
