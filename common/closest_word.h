/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_CLOSEST_WORD_H
#define KT_COMMON_CLOSEST_WORD_H

#include <stddef.h>

/* The candidate closest to a mistyped word: messages that refuse the word
 * suggest it.
 *
 * The distance is the number of inserted, removed, replaced or swapped
 * characters (optimal string alignment), regardless of case. A candidate's last
 * underscore and the text after it, such as a unit, may be missing. A candidate is
 * close enough with at most one such edit per three characters of the word, or
 * if the word has at least three characters and the candidate starts with it.
 */
struct closest_word {
	const char *word; /* borrowed */
	size_t distance;  /* of best; SIZE_MAX: none was close enough */
	char best[64];
};

struct closest_word closest_word_to(const char *word);

/* Considers @candidate; the first of several equally close ones wins. */
void closest_word_offer(struct closest_word *closest, const char *candidate);

/* Considers each word of @list, which spaces or commas separate; "or" and "and"
 * are not candidates. With "text, csv or json" there are three.
 */
void closest_word_offer_list(struct closest_word *closest, const char *list);

enum { CLOSEST_WORD_TEXT = 96 };

/* Writes " (did you mean X?)" to @text, where X is @before ("--" or "") and the
 * best candidate; or an empty string if no candidate was close enough. Returns
 * @text.
 */
const char *closest_word_text(const struct closest_word *closest,
			      const char *before, char text[CLOSEST_WORD_TEXT]);

#endif
