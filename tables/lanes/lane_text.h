/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LANE_TEXT_H
#define KT_TABLES_LANE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Memory that is written to as a file, again and again. */
struct lane_text {
	FILE *out;
	char *bytes;
	size_t size;
};

/* Returns 0 or -ERROR_MEMORY; free it either way. */
int lane_text_open(struct lane_text *text);
void lane_text_free(struct lane_text *text);

/* Returns where to write, from the begin on. */
FILE *lane_text_begin(struct lane_text *text);

/* Returns what was written, valid until the next begin. */
const char *lane_text_end(struct lane_text *text);

#endif
