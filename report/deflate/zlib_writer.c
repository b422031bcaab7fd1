/* SPDX-License-Identifier: MIT */
#include "report/deflate/zlib_writer.h"

#include "report/deflate/bit_writer.h"
#include "report/deflate/deflate_block.h"
#include "report/deflate/match_finder.h"

#include <assert.h>
#include <stdlib.h>
#include <zlib.h>

/* RFC 1950, 2.2: DEFLATE with a window of 32 KB, compressed fast. */
static const uint8_t head[] = { 0x78, 0x01 };
enum { CHECK_BYTES = 4 };

struct zlib_writer {
	size_t most_bytes;
	struct match_finder *finder;
	uint8_t *out;
};

struct zlib_writer *zlib_writer_new(size_t most_bytes)
{
	struct zlib_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->most_bytes = most_bytes;
	writer->finder = match_finder_new(most_bytes);
	writer->out = malloc(sizeof(head) + DEFLATE_BLOCK_HEAD +
			     2 * most_bytes + CHECK_BYTES + BIT_WRITER_SLACK);
	if (!writer->finder || !writer->out) {
		zlib_writer_free(writer);
		return NULL;
	}
	return writer;
}

void zlib_writer_free(struct zlib_writer *writer)
{
	if (!writer)
		return;
	match_finder_free(writer->finder);
	free(writer->out);
	free(writer);
}

/* The check is big-endian. */
static uint8_t *put_check(uint8_t *at, uint32_t check)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		*at++ = (uint8_t)(check >> shift);
	return at;
}

const uint8_t *zlib_writer_compress(struct zlib_writer *writer,
				    const uint8_t *bytes, size_t size,
				    size_t *compressed)
{
	struct bit_writer bits = { .at = writer->out + sizeof(head) };
	const struct match *matches;
	size_t count;
	uint8_t *end;

	assert(size <= writer->most_bytes);
	memcpy(writer->out, head, sizeof(head));
	matches = match_finder_find(writer->finder, bytes, size, &count);
	deflate_block_write(&bits, bytes, matches, count);
	end = put_check(bit_writer_end(&bits),
			(uint32_t)adler32_z(adler32_z(0, NULL, 0), bytes,
					    size));
	*compressed = (size_t)(end - writer->out);
	return writer->out;
}
