/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_RECORD_TABLE_H
#define KT_REPORT_RECORD_TABLE_H

#include "report/text/record_writer.h"

#include <stdbool.h>

/* How a record_writer lays out a table of text. */

/* Measures or writes a field, or a part of its name, whichever pass it is.
 * Numbers end where their column ends, texts begin where it begins.
 */
void record_table_field(struct record_writer *writer, const char *name,
			const char *value, bool is_text);

/* Returns how many lines the names take, of measured columns. */
int record_table_header_lines(const struct record_writer *writer);

/* Writes which columns were left out. */
void record_table_end(const struct record_writer *writer);

#endif
