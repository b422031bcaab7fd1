/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TABLE_ROWS_H
#define KT_ATTRIBUTION_TABLE_ROWS_H

#include "report/record_writer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct attribution_output;

/* Where rows of a table go. */
struct table_rows {
	struct record_writer *writer;
	bool is_text;
};

/* Writes a number that the recording may not be able to tell: text leaves the
 * column out then, CSV and JSON leave it empty.
 */
void table_rows_known(const struct table_rows *rows, bool is_known,
		      const char *name, uint64_t value);

/* Says which columns are not there, for want of which events, and which level
 * of record --events would give them.
 */
void table_rows_missing(FILE *out, const char *columns, const char *events,
			const char *level);

/* Writes the @count rows of a table as @output wants: its format, its order,
 * its first rows only.
 *
 * Returns 0, -ERROR_NOT_FOUND if there is no column output->sort, or
 * -ERROR_MEMORY.
 */
int table_rows_render(const struct attribution_output *output,
		      record_fields *fields, const void *ctx, uint64_t count);

#endif
