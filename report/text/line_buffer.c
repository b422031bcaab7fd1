/* SPDX-License-Identifier: MIT */
#include "report/text/line_buffer.h"

#include <stdio_ext.h>
#include <time.h>

/* Of a moment, so many lines are shown one by one, the others together. */
enum { LIVE_LINES = 128, LIVE_MS = 20 };

void line_buffer_start(struct line_buffer *buffer, FILE *out)
{
	buffer->out = out;
	buffer->size = 0;
	buffer->is_live = out && __flbf(out);
	buffer->live_lines = 0;
	buffer->live_ms = 0;
}

void line_buffer_flush(struct line_buffer *buffer)
{
	fwrite_unlocked(buffer->bytes, 1, buffer->size, buffer->out);
	buffer->size = 0;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void line_buffer_show(struct line_buffer *buffer)
{
	uint64_t now = now_ms();

	if (now - buffer->live_ms >= LIVE_MS) {
		buffer->live_ms = now;
		buffer->live_lines = 0;
	}
	if (buffer->live_lines++ < LIVE_LINES)
		line_buffer_flush(buffer);
}

void line_buffer_put_long(struct line_buffer *buffer, const void *bytes,
			  size_t size)
{
	line_buffer_flush(buffer);
	if (size > sizeof(buffer->bytes))
		fwrite_unlocked(bytes, 1, size, buffer->out);
	else
		line_buffer_put(buffer, bytes, size);
}

void line_buffer_many_spaces(struct line_buffer *buffer, size_t count)
{
	while (count) {
		size_t part = count < LINE_BUFFER_BYTES ? count :
							  LINE_BUFFER_BYTES;

		memset(line_buffer_room(buffer, part), ' ', part);
		buffer->size += part;
		count -= part;
	}
}

void line_buffer_align_many(struct line_buffer *buffer, uint64_t value,
			    size_t width)
{
	char *text = line_buffer_room(buffer, LINE_BUFFER_WIDEST);
	size_t count = digits_count(value);
	size_t spaces = width > count ? width - count : 0;

	memset(text, ' ', LINE_BUFFER_WIDEST);
	digits_padded(text + spaces, value, count);
	buffer->size += spaces + count;
}
