/* SPDX-License-Identifier: MIT */
#include "report/text/line_buffer.h"

#include <stdio_ext.h>
#include <stdlib.h>
#include <time.h>

/* Up to LIVE_LINES lines per interval are written one by one, the others
 * together.
 */
enum { LIVE_LINES = 128, LIVE_MS = 20 };

void line_buffer_start(struct line_buffer *buffer, FILE *out)
{
	buffer->out = out;
	buffer->kept = NULL;
	buffer->cached_size = 0;
	buffer->is_cut = false;
	buffer->size = 0;
	buffer->is_live = out && __flbf(out);
	buffer->live_lines = 0;
	buffer->live_ms = 0;
}

static void keep(struct line_buffer *buffer, const void *bytes, size_t size)
{
	char *kept = realloc(buffer->kept, buffer->cached_size + size + 1);

	if (!kept) {
		buffer->is_cut = true;
		return;
	}
	memcpy(kept + buffer->cached_size, bytes, size);
	buffer->kept = kept;
	buffer->cached_size += size;
	kept[buffer->cached_size] = 0;
}

static void hand_on(struct line_buffer *buffer, const void *bytes, size_t size)
{
	if (buffer->out)
		fwrite_unlocked(bytes, 1, size, buffer->out);
	else
		keep(buffer, bytes, size);
}

void line_buffer_flush(struct line_buffer *buffer)
{
	hand_on(buffer, buffer->bytes, buffer->size);
	buffer->size = 0;
}

char *line_buffer_kept(struct line_buffer *buffer, size_t *size)
{
	char *kept;

	line_buffer_flush(buffer);
	kept = buffer->kept;
	*size = buffer->cached_size;
	buffer->kept = NULL;
	buffer->cached_size = 0;
	if (!buffer->is_cut)
		return kept;
	free(kept);
	return NULL;
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
		hand_on(buffer, bytes, size);
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
