/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LANE_TEXT_H
#define KT_TABLES_LANE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* A reusable text buffer that is written to as a FILE. */
struct lane_text {
	FILE *out;
	char *bytes;
	size_t size;
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @text either way. */
int lane_text_open(struct lane_text *text);
void lane_text_free(struct lane_text *text);

/* Empties the buffer and returns the file to write to. */
FILE *lane_text_begin(struct lane_text *text);

/* Returns the text written since lane_text_begin(), valid until its next call.
 */
const char *lane_text_end(struct lane_text *text);

#endif
