/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_window.h"
#include "decoder/recording/recording.h"

enum { SYNC_END = 0x80 };

/* Returns the number of 0 bytes before @index, including those before the
 * window.
 */
static size_t zeros_before(const struct coresight_window *window, size_t index)
{
	size_t zeros = 0;

	while (zeros < index && !window->bytes[index - 1 - zeros])
		zeros++;
	return zeros == index ? zeros + window->zeros : zeros;
}

/* After a broken frame nothing belongs to the bytes before it. */
static size_t zeros_behind(const struct coresight_window *window)
{
	return window->is_broken ? 0 : zeros_before(window, window->size);
}

void coresight_window_begin(struct coresight_window *window,
			    const struct aux_piece *piece, uint8_t id,
			    bool anew)
{
	window->zeros = anew ? 0 : zeros_behind(window);
	window->piece = piece;
	window->id = id;
	window->frame_id = piece->first_id;
	window->start = 0;
	window->next = 0;
	window->size = 0;
	window->done = 0;
	window->is_broken = false;
}

/* Frames with impossible IDs were damaged: the source of the next bytes is
 * unknown.
 */
static bool is_possible(uint8_t id)
{
	enum { FLUSH = 0x7b, TRIGGER = 0x7d, LAST = 0x6f };

	return id <= LAST || id == FLUSH || id == TRIGGER;
}

/* Reads the frame at @bytes without knowing its first source. Returns its last
 * source, 0 if it is broken, UNKNOWN_ID if it does not contain an ID.
 */
enum { UNKNOWN_ID = CORESIGHT_ID_COUNT };

static uint8_t id_behind(const uint8_t *bytes)
{
	struct coresight_frame frame;
	uint8_t id = UNKNOWN_ID;
	bool is_broken;

	coresight_frame_read(bytes, &id, &frame);
	is_broken = id != UNKNOWN_ID && !is_possible(id);
	for (size_t i = 0; i < frame.count; i++)
		is_broken |= frame.ids[i] != UNKNOWN_ID &&
			     !is_possible(frame.ids[i]);
	return is_broken ? 0 : id;
}

/* Finds the source of the bytes at @place, from the frames before it. */
static void find_id(struct coresight_window *window, size_t place)
{
	uint8_t id = UNKNOWN_ID;

	while (place && id == UNKNOWN_ID) {
		place -= CORESIGHT_FRAME_SIZE;
		id = id_behind(window->piece->bytes + place);
	}
	if (id != UNKNOWN_ID)
		window->frame_id = id;
}

void coresight_window_skip(struct coresight_window *window, size_t place)
{
	const struct aux_piece *piece = window->piece;

	if (place > piece->size_bytes)
		place = piece->size_bytes;
	place -= place % CORESIGHT_WINDOW_SIZE;
	window->start = place;
	window->next = place;
	if (piece->is_formatted)
		find_id(window, place);
}

static void take_frame(struct coresight_window *window)
{
	const size_t at = window->next;
	struct coresight_frame frame;

	coresight_frame_read(window->piece->bytes + at, &window->frame_id,
			     &frame);
	window->next += CORESIGHT_FRAME_SIZE;
	window->is_broken = !is_possible(window->frame_id);
	for (size_t i = 0; i < frame.count; i++) {
		window->is_broken |= !is_possible(frame.ids[i]);
		if (window->is_broken || frame.ids[i] != window->id)
			continue;
		window->taken[window->size] = frame.bytes[i];
		window->places[window->size++] =
			(uint16_t)(at + frame.places[i] - window->start);
	}
	if (window->is_broken)
		window->frame_id = 0;
}

static bool take_frames(struct coresight_window *window, size_t left)
{
	size_t count = left / CORESIGHT_FRAME_SIZE;

	if (count > CORESIGHT_WINDOW_SIZE / CORESIGHT_FRAME_SIZE)
		count = CORESIGHT_WINDOW_SIZE / CORESIGHT_FRAME_SIZE;
	window->bytes = window->taken;
	window->is_broken = false;
	for (size_t i = 0; i < count && !window->is_broken; i++)
		take_frame(window);
	return count;
}

bool coresight_window_next(struct coresight_window *window)
{
	const struct aux_piece *piece = window->piece;
	size_t left = piece->size_bytes - window->next;

	window->zeros = zeros_behind(window);
	window->start = window->next;
	window->size = 0;
	window->done = 0;
	if (piece->is_formatted)
		return take_frames(window, left);
	window->bytes = piece->bytes + window->start;
	window->size = left < CORESIGHT_WINDOW_SIZE ? left :
						      CORESIGHT_WINDOW_SIZE;
	window->next += window->size;
	return window->size;
}

size_t coresight_window_place(const struct coresight_window *window,
			      size_t index)
{
	if (!window->piece->is_formatted)
		return window->start + index;
	return index < window->size ? window->start + window->places[index] :
				      window->next;
}

bool coresight_window_find_sync(struct coresight_window *window, size_t from,
				size_t zeros, bool *passed)
{
	size_t run = zeros_before(window, from);
	size_t at = from;

	while (at < window->size &&
	       (window->bytes[at] != SYNC_END || run < zeros)) {
		run = window->bytes[at] ? 0 : run + 1;
		at++;
	}
	*passed = at > from + run;
	window->done = at + (at < window->size);
	return at < window->size;
}
