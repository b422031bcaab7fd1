/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_LINE_BUFFER_H
#define KT_REPORT_LINE_BUFFER_H

#include "report/text/digits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BUFFER_BYTES = 4096, LINE_BUFFER_WIDEST = 32 };

/* Lines on their way to a FILE, which gets them some at a time.  Who writes to
 * the FILE in another way has to flush this first.  That something could not
 * be written is noted in the FILE (ferror).
 *
 * A FILE that is buffered by line (setvbuf's _IOLBF) has somebody reading it
 * as it comes: it gets each line when it ends, unless there are more than
 * anybody could read.
 *
 * Without a FILE they are kept, for line_buffer_kept().
 */
struct line_buffer {
	FILE *out; /* borrowed, or NULL */
	char *kept;
	size_t kept_size;
	bool is_cut; /* there was no memory for all */
	size_t size;
	bool is_live;
	uint32_t live_lines; /* those of the same moment */
	uint64_t live_ms;    /* that moment */
	char bytes[LINE_BUFFER_BYTES];
};

void line_buffer_start(struct line_buffer *buffer, FILE *out);

/* Hands on all that is there. */
void line_buffer_flush(struct line_buffer *buffer);

/* Returns all that was written without a FILE, to be freed, and sets *@size to its
 * size, without the 0 behind it; NULL if there was no memory.
 */
char *line_buffer_kept(struct line_buffer *buffer, size_t *size);

/* A line has ended: whoever is waiting for it may have it. */
void line_buffer_show(struct line_buffer *buffer);

static inline void line_buffer_end(struct line_buffer *buffer)
{
	if (buffer->is_live)
		line_buffer_show(buffer);
}

/* Returns where @size bytes may be written, which must not be more than
 * LINE_BUFFER_BYTES; buffer->size is to be advanced by those that were.
 */
static inline char *line_buffer_room(struct line_buffer *buffer, size_t size)
{
	if (size > sizeof(buffer->bytes) - buffer->size)
		line_buffer_flush(buffer);
	return buffer->bytes + buffer->size;
}

/* For any number of bytes. */
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
	/* So many that the compiler knows their number. */
	memset(line_buffer_room(buffer, FEW), ' ', FEW);
	buffer->size += count;
}

/* For numbers of two digits or more; see line_buffer_aligned(). */
void line_buffer_align_many(struct line_buffer *buffer, uint64_t value,
			    size_t width);

/* As printf's %*PRIu64; @width is from 1 to LINE_BUFFER_WIDEST. */
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
