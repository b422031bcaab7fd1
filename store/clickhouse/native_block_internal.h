/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_NATIVE_BLOCK_INTERNAL_H
#define KT_STORE_CLICKHOUSE_NATIVE_BLOCK_INTERNAL_H

#include "common/bytes.h"
#include "sql/rows/row_queue.h"
#include "sql/rows/sql_table.h"

#include <stdbool.h>
#include <stdint.h>

struct store_entry;

/* Single values of ClickHouse's Native format (documentation, "Formats", Native
 * and RowBinary): numbers are little-endian, and a text follows its length as
 * LEB128.
 */

/* Append a number as LEB128, or a text after its length. */
void native_put_number(struct byte_buffer *bytes, uint64_t number);
void native_put_text(struct byte_buffer *bytes, const char *text);

/* Returns whether a column is nullable. The start and end times by which tables
 * are sorted are not.
 */
bool native_may_be_null(const struct column *column);

/* Returns the server's name of a type. */
const char *native_type_name(enum column_type type, bool may_be_null);

/* Returns the entry's day as a ClickHouse Date: days since 1970; 0 if that is
 * no number of 16 bits.
 */
uint16_t native_day(const struct store_entry *entry);

/* A block in ClickHouse's Native format (src/Formats/NativeWriter.cpp): the
 * numbers of columns and rows, then for each column its name, type and values.
 * The values of a nullable column are preceded by a byte per row that is 1 for
 * NULL. Servers process this format in a third less time than single rows
 * (RowBinary).
 *
 * Rows are collected by column until the block is written. A zeroed struct is
 * an empty block.
 */
struct native_block {
	/* of the rows; NULL if the block is empty */
	const struct sql_table *table;
	uint32_t rows;
	struct byte_buffer nulls[SQL_MOST_COLUMNS];
	struct byte_buffer values[SQL_MOST_COLUMNS];
};

/* Adds the rows of @chunk. All chunks of a block must be of one table. */
void native_block_add(struct native_block *block,
		      const struct row_chunk *chunk);

/* Appends the block to @bytes, with the day and the number of @entry as first
 * columns, and empties it. Appends nothing if the block has no rows.
 */
void native_block_write(struct native_block *block,
			const struct store_entry *entry,
			struct byte_buffer *bytes);

/* Like native_block_write(), for the table of recordings: @block must have
 * exactly one row. Its first columns are the members of @entry.
 */
void native_block_write_recording(struct native_block *block,
				  const struct store_entry *entry,
				  struct byte_buffer *bytes);

void native_block_free(struct native_block *block);

#endif
