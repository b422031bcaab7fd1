/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_ANSWER_FILE_DATA_H
#define KT_VIEW_ANSWER_FILE_DATA_H

#include "view/answer/answer.h"

#include <stdint.h>
#include <stdio.h>

struct diff_table;

/* Writes the data of a page in a file, which has no server, as JSON: slices of
 * the first level that fits into half of @most_bytes, before compression;
 * profiles of fewer parts of time; and a note about the data left out.
 *
 * Returns 0 or a negative enum error.
 */
int file_data_write(const struct view_sources *sources, uint64_t most_bytes,
		    FILE *out);

/* Writes the data of the page of a comparison as JSON: the recordings of both
 * @sides, which are comma-separated lists, and the first @top rows of each
 * section of @table.
 */
void diff_data_write(const struct diff_table *table, const char *const sides[2],
		     uint64_t top, FILE *out);

#endif
