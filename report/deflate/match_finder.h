/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_MATCH_FINDER_H
#define KT_REPORT_MATCH_FINDER_H

#include <stddef.h>
#include <stdint.h>

/* RFC 1951, 2 and 3.2.5. */
enum { MATCH_LONGEST = 258, MATCH_FARTHEST = 32768 };

/* Bytes as they are, and behind them some that were there before. */
struct match {
	uint32_t literals; /* how many bytes as they are */
	uint16_t length;   /* 0: none, at the end */
	uint16_t distance; /* from 1 on */
};

/* Finds bytes that repeat earlier ones: in one pass, looking at one earlier
 * place for each, and at none inside what repeats.  Records of a few forms, one
 * after the other, need no more.
 */
struct match_finder;

/* Returns one for up to @most_bytes at a time; NULL when out of memory. */
struct match_finder *match_finder_new(size_t most_bytes);
void match_finder_free(struct match_finder *finder);

/* Returns what makes up the @size bytes, and *@count, the last one being without a
 * match.  Valid until the next call.
 */
const struct match *match_finder_find(struct match_finder *finder,
				      const uint8_t *bytes, size_t size,
				      size_t *count);

#endif
