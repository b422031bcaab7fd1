/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_RECORD_TABLE_H
#define KT_REPORT_RECORD_TABLE_H

#include "report/text/record_writer.h"

#include <stdbool.h>

/* Tables of text: inside record_writer only.
 *
 * First all fields are measured, then the columns are laid out: those that fit
 * beside each other make a block, and the leading columns, which say what a row
 * is about, stand in each block.  Then all rows are written once for each block.
 */

/* Measures or writes a field; numbers are right-aligned. */
void record_table_field(struct record_writer *writer, const char *name,
			const char *value, bool is_text);

/* All fields were measured: sets writer->blocks. */
void record_table_lay_out(struct record_writer *writer);

/* Writes the heads of block writer->block. */
void record_table_heads(const struct record_writer *writer);

/* Ends a row. */
void record_table_end_row(struct record_writer *writer);

/* Lists the columns that were left out since all their values are 0. */
void record_table_end(const struct record_writer *writer);

#endif
