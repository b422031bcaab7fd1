/* SPDX-License-Identifier: MIT */
#include "common/closest_word.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A longer word gets no suggestion and is never suggested. */
enum { MOST_LENGTH = 63, MOST_ROWS = MOST_LENGTH + 1 };

struct closest_word closest_word_to(const char *word)
{
	return (struct closest_word){ .word = word, .distance = SIZE_MAX };
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static bool are_swapped(const char *a, const char *b)
{
	return is_same(a[0], b[1]) && is_same(a[1], b[0]);
}

/* Returns the edit distance of two words of at most MOST_LENGTH characters. An
 * edit inserts, deletes or replaces a character, or swaps two neighbours; case
 * is ignored.
 */
static size_t distance_of(const char *a, size_t a_length, const char *b,
			  size_t b_length)
{
	uint8_t cost[MOST_ROWS][MOST_ROWS];

	for (size_t i = 0; i <= a_length; i++)
		cost[i][0] = (uint8_t)i;
	for (size_t j = 0; j <= b_length; j++)
		cost[0][j] = (uint8_t)j;
	for (size_t i = 1; i <= a_length; i++)
		for (size_t j = 1; j <= b_length; j++) {
			size_t edit = cost[i - 1][j - 1] +
				      !is_same(a[i - 1], b[j - 1]);

			edit = least(edit, cost[i - 1][j] + 1U);
			edit = least(edit, cost[i][j - 1] + 1U);
			if (i > 1 && j > 1 && are_swapped(a + i - 2, b + j - 2))
				edit = least(edit, cost[i - 2][j - 2] + 1U);
			cost[i][j] = (uint8_t)edit;
		}
	return cost[a_length][b_length];
}

/* Returns the length of @candidate without its unit, as in "asleep_ns". */
static size_t length_without_unit(const char *candidate, size_t length)
{
	const char *unit = memrchr(candidate, '_', length);

	return unit ? (size_t)(unit - candidate) : length;
}

static void offer(struct closest_word *closest, const char *candidate,
		  size_t length)
{
	size_t own = strlen(closest->word);
	size_t distance;

	if (!own || own > MOST_LENGTH || length > MOST_LENGTH)
		return;
	if (own >= 3 && own < length &&
	    !strncasecmp(candidate, closest->word, own))
		distance = 1;
	else
		distance = least(
			distance_of(closest->word, own, candidate, length),
			distance_of(closest->word, own, candidate,
				    length_without_unit(candidate, length)));
	if (distance > (own + 2) / 3 || distance >= least(own, length) ||
	    distance >= closest->distance)
		return;
	closest->distance = distance;
	memcpy(closest->best, candidate, length);
	closest->best[length] = '\0';
}

void closest_word_offer(struct closest_word *closest, const char *candidate)
{
	offer(closest, candidate, strlen(candidate));
}

static bool joins(const char *word, size_t length)
{
	return (length == 2 && !strncmp(word, "or", 2)) ||
	       (length == 3 && !strncmp(word, "and", 3));
}

void closest_word_offer_list(struct closest_word *closest, const char *list)
{
	static const char separators[] = " ,\n";

	while (*(list += strspn(list, separators))) {
		size_t length = strcspn(list, separators);

		if (!joins(list, length))
			offer(closest, list, length);
		list += length;
	}
}

const char *closest_word_text(const struct closest_word *closest,
			      const char *before, char text[CLOSEST_WORD_TEXT])
{
	if (closest->distance == SIZE_MAX)
		*text = '\0';
	else
		snprintf(text, CLOSEST_WORD_TEXT, " (did you mean %s%s?)",
			 before, closest->best);
	return text;
}
