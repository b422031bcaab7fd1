/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GATE_LINES_H
#define KT_COLLECTOR_GATE_LINES_H

#include "common/recording_events.h"

#include <stdbool.h>
#include <stddef.h>

/* Splits a byte stream into lines. */
struct gate_lines {
	char text[GATE_LIST_SIZE]; /* the line so far */
	/* of the line, including bytes that were cut */
	size_t length;
};

/* Consumes bytes of @bytes, which has @size, from *@at on, up to the end of a
 * line.
 *
 * Returns the line, NUL-terminated, without trailing spaces, valid until the
 * next call; sets *@is_cut if it was longer than a list may be and was cut.
 * Returns NULL if the line is not complete yet.
 */
const char *gate_lines_next(struct gate_lines *lines, const char *bytes,
			    size_t size, size_t *at, bool *is_cut);

#endif
