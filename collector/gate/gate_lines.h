/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GATE_LINES_H
#define KT_COLLECTOR_GATE_LINES_H

#include "common/gate_mark.h"

#include <stdbool.h>
#include <stddef.h>

/* Lines that come in pieces. */
struct gate_lines {
	char text[GATE_LIST_SIZE]; /* the line so far */
	size_t length;		   /* of it, also of what had no room */
};

/* Takes bytes of @bytes, which has @size, from *@at on, up to the end of a line.
 *
 * Returns the line, ended by NUL, without spaces at its end, until the next call;
 * cut if it was longer than a list may be: *@is_cut.  NULL: more is to come.
 */
const char *gate_lines_next(struct gate_lines *lines, const char *bytes,
			    size_t size, size_t *at, bool *is_cut);

#endif
