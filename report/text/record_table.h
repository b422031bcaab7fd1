/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_RECORD_TABLE_H
#define KT_REPORT_RECORD_TABLE_H

#include "report/text/record_writer.h"

#include <stdbool.h>

/* Text tables, used only by record_writer.
 *
 * First all fields are measured. Then the columns are laid out in blocks of
 * columns that fit side by side; the key columns, which identify a row, are
 * repeated in each block. Then all rows are written once per block.
 */

/* Measures or writes a field; numbers are right-aligned. */
void record_table_field(struct record_writer *writer, const char *name,
			const char *value, bool is_text);

/* Sets writer->blocks after all fields have been measured. */
void record_table_lay_out(struct record_writer *writer);

/* Writes the headings of block writer->block. */
void record_table_heads(const struct record_writer *writer);

/* Ends a row. */
void record_table_end_row(struct record_writer *writer);

/* Lists the columns that were left out because all their values are 0. */
void record_table_end(const struct record_writer *writer);

#endif
