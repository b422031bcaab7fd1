/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_DIFF_DATA_H
#define KT_VIEW_DIFF_DATA_H

#include <stdint.h>
#include <stdio.h>

struct diff_table;

/* Writes the data of the page of a comparison as JSON: the recordings of both
 * sides, comma-separated lists, and the first @top rows of each section of
 * @table.
 */
void diff_data_write(const struct diff_table *table, const char *const sides[2],
		     uint64_t top, FILE *out);

#endif
