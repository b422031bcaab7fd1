/* SPDX-License-Identifier: MIT */
#include "tests/frame_fixture.h"

#include <stdbool.h>
#include <string.h>

enum { SIZE = 16, FLAGS = 15, LAST_PAIR = 14 };

struct formatter {
	struct frame_byte *bytes;
	size_t count;
	size_t done;
	size_t start; /* of the frame */
	uint8_t id;   /* source of the next bytes */
};

/* After the last byte: no source. */
static uint8_t id_of(const struct formatter *formatter, size_t ahead)
{
	size_t index = formatter->done + ahead;

	return index < formatter->count ? formatter->bytes[index].id : 0;
}

static uint8_t consume(struct formatter *formatter)
{
	struct frame_byte *byte = &formatter->bytes[formatter->done];

	if (formatter->done == formatter->count)
		return 0;
	formatter->done++;
	byte->frame = formatter->start;
	return byte->byte;
}

static void put_id(struct formatter *formatter, uint8_t *pair, uint8_t id)
{
	pair[0] = (uint8_t)(id << 1 | 1);
	formatter->id = id;
}

/* Writes a pair of bytes at an even offset: data, or an id and its data, or an
 * id and the last byte of the previous source.
 */
static void put_pair(struct formatter *formatter, uint8_t *frame, size_t at,
		     bool repeat)
{
	uint8_t *pair = frame + at;
	uint8_t bit = (uint8_t)(1u << at / 2);

	if (id_of(formatter, 0) != formatter->id || repeat) {
		put_id(formatter, pair, id_of(formatter, 0));
		if (at < LAST_PAIR)
			pair[1] = consume(formatter);
	} else if (at < LAST_PAIR && id_of(formatter, 1) != formatter->id) {
		put_id(formatter, pair, id_of(formatter, 1));
		frame[FLAGS] |= bit;
		pair[1] = consume(formatter);
	} else {
		pair[0] = consume(formatter);
		if (pair[0] & 1)
			frame[FLAGS] |= bit;
		pair[0] &= 0xfe;
		if (at < LAST_PAIR)
			pair[1] = consume(formatter);
	}
}

size_t frame_fixture_write(uint8_t *to, struct frame_byte *bytes, size_t count,
			   unsigned int every)
{
	struct formatter formatter = { .bytes = bytes, .count = count };

	for (size_t i = 0; formatter.done < count; i++) {
		uint8_t *frame = to + formatter.start;

		memset(frame, 0, SIZE);
		for (size_t at = 0; at <= LAST_PAIR; at += 2)
			put_pair(&formatter, frame, at,
				 at == 0 && i % every == 0);
		formatter.start += SIZE;
	}
	return formatter.start;
}
