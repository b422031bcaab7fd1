/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_NATIVE_BLOCK_H
#define KT_STORE_NATIVE_BLOCK_H

struct byte_buffer;
struct row_chunk;
struct store_entry;

/* A block of ClickHouse's format Native (src/Formats/NativeWriter.cpp): how many
 * columns and rows, then each column with its name, its type and all its values;
 * of one that may be NULL a byte for each row comes before, 1 if it is.  Servers
 * take a third less time for it than for rows one after the other (RowBinary).
 *
 * Appends the rows of @chunk, behind the day of @entry and its number.
 */
void native_block_put(struct byte_buffer *bytes, const struct row_chunk *chunk,
		      const struct store_entry *entry);

/* Appends the row of the recording itself, the only one of @chunk: behind all that
 * @entry says of it.
 */
void native_block_put_recording(struct byte_buffer *bytes,
				const struct row_chunk *chunk,
				const struct store_entry *entry);

#endif
