/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_NATIVE_BLOCK_H
#define KT_STORE_NATIVE_BLOCK_H

#include "common/byte_buffer.h"
#include "sql/rows/row_chunk.h"

#include <stdint.h>

struct store_entry;

/* A block of ClickHouse's format Native (src/Formats/NativeWriter.cpp): how many
 * columns and rows, then each column with its name, its type and all its values;
 * of one that may be NULL a byte for each row comes before, 1 if it is.  Servers
 * take a third less time for it than for rows one after the other (RowBinary).
 *
 * Rows are added to their columns until the block is written.  All zeros is an
 * empty one.
 */
struct native_block {
	const struct sql_table *table; /* of the rows; NULL: none came */
	uint32_t rows;
	struct byte_buffer nulls[SQL_MOST_COLUMNS];
	struct byte_buffer values[SQL_MOST_COLUMNS];
};

/* Adds the rows of @chunk, all chunks being of one table. */
void native_block_add(struct native_block *block,
		      const struct row_chunk *chunk);

/* Appends the block to @bytes, if it has rows, behind the day of @entry and its
 * number as columns, and empties it.
 */
void native_block_write(struct native_block *block,
			const struct store_entry *entry,
			struct byte_buffer *bytes);

/* The same for the row of the recording itself, the only one: behind all that
 * @entry says of it.
 */
void native_block_write_recording(struct native_block *block,
				  const struct store_entry *entry,
				  struct byte_buffer *bytes);

void native_block_free(struct native_block *block);

#endif
