/* SPDX-License-Identifier: MIT */
#include "report/deflate/match_finder.h"

#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* KEY_BYTES that are equal are the shortest match. */
enum { KEY_BYTES = 5, KEY_SHIFT = 64 - 8 * KEY_BYTES, TABLE_BITS = 14 };

struct match_finder {
	uint32_t places[1 << TABLE_BITS]; /* behind the last one with a key;
					     0: none */
	struct match *matches;
};

struct match_finder *match_finder_new(size_t most_bytes)
{
	struct match_finder *finder = calloc(1, sizeof(*finder));

	if (!finder)
		return NULL;
	finder->matches =
		calloc(most_bytes / KEY_BYTES + 1, sizeof(*finder->matches));
	if (!finder->matches) {
		free(finder);
		return NULL;
	}
	return finder;
}

void match_finder_free(struct match_finder *finder)
{
	if (finder)
		free(finder->matches);
	free(finder);
}

static uint64_t word_at(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return le64toh(word);
}

static uint64_t key_at(const uint8_t *bytes)
{
	return word_at(bytes) << KEY_SHIFT;
}

/* By Fibonacci hashing. */
static uint32_t slot_of(uint64_t key)
{
	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >>
			  (64 - TABLE_BITS));
}

/* Returns how many bytes before @end are those from @before on. */
static uint32_t equal_bytes(const uint8_t *bytes, const uint8_t *before,
			    const uint8_t *end)
{
	const uint8_t *here = bytes;

	while ((size_t)(end - here) >= sizeof(uint64_t)) {
		uint64_t unlike = word_at(here) ^ word_at(before);

		if (unlike)
			return (uint32_t)(here - bytes) +
			       (uint32_t)__builtin_ctzll(unlike) / 8;
		here += sizeof(uint64_t);
		before += sizeof(uint64_t);
	}
	while (here < end && *here == *before) {
		here++;
		before++;
	}
	return (uint32_t)(here - bytes);
}

/* Returns the distance to the bytes before @place that begin as those there do, 0
 * if none are remembered; remembers @place.
 */
static uint32_t look_up(struct match_finder *finder, const uint8_t *bytes,
			uint32_t place)
{
	uint64_t key = key_at(bytes + place);
	uint32_t *slot = &finder->places[slot_of(key)];
	uint32_t distance = place + 1 - *slot;
	bool is_match = *slot && distance <= MATCH_FARTHEST &&
			key_at(bytes + *slot - 1) == key;

	*slot = place + 1;
	return is_match ? distance : 0;
}

const struct match *match_finder_find(struct match_finder *finder,
				      const uint8_t *bytes, size_t size,
				      size_t *count)
{
	struct match *match = finder->matches;
	uint32_t literals_from = 0;
	uint32_t place = 0;

	memset(finder->places, 0, sizeof(finder->places));
	while (place + sizeof(uint64_t) <= size) {
		size_t left = size - place;
		uint32_t distance = look_up(finder, bytes, place);

		if (!distance) {
			place++;
			continue;
		}
		match->literals = place - literals_from;
		match->distance = (uint16_t)distance;
		match->length = (uint16_t)equal_bytes(
			bytes + place, bytes + place - distance,
			bytes + place +
				(left < MATCH_LONGEST ? left : MATCH_LONGEST));
		place += match->length;
		literals_from = place;
		match++;
	}
	*match = (struct match){ .literals = (uint32_t)size - literals_from };
	*count = (size_t)(match - finder->matches) + 1;
	return finder->matches;
}
