/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_ROW_BINARY_H
#define KT_STORE_ROW_BINARY_H

#include "sql/rows/row_chunk.h"
#include "store/entry/store_entry.h"

#include <stdbool.h>
#include <stdint.h>

struct byte_buffer;

/* ClickHouse's format RowBinary (documentation, "Formats", RowBinary): values one
 * after the other, little-endian; a text behind its length as LEB128; before one
 * that may be NULL a byte, 1 if it is.
 */

/* Returns whether a column may be NULL: times that a row begins and ends at are
 * not, by which tables are sorted.
 */
bool row_binary_may_be_null(const struct sql_column *column);

/* Appends a number as LEB128, or a text. */
void row_binary_put_number(struct byte_buffer *bytes, uint64_t number);
void row_binary_put_text(struct byte_buffer *bytes, const char *text);

/* Appends the row of the recording itself: the entry's columns and @chunk's. */
void row_binary_put_entry(struct byte_buffer *bytes,
			  const struct row_chunk *chunk,
			  const struct store_entry *entry);

/* Returns the days from 1970 to the entry's day, at most 65535: a Date. */
uint16_t row_binary_day(const struct store_entry *entry);

#endif
