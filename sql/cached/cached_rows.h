/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_CACHED_CACHED_ROWS_H
#define KT_SQL_CACHED_CACHED_ROWS_H

/* Rows of a table in a file beside the recording, from which windows are read
 * without decoding.
 *
 *	rows of the first whole pass ─► cached_writer ─► file, in chunks
 *	window ─► chunks that may have rows of it ─► row_out, in the same order
 *
 * 1. A file is published whole, after all rows were made, or not at all.
 * 2. It is used only if its key, the inputs that rows depend on, is the present
 *    one; otherwise the rows are made again.
 * 3. Its bytes are untrusted. Of a damaged file no row is emitted, and the
 *    caller makes the rows again.
 *
 * Source of the format: docs/formats.md, common/files/cache_file.h.
 */

#include "common/files/cache_file.h"
#include "sql/rows/row_out.h"
#include "sql/rows/row_queue.h"

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* Writes the rows of a table to its cache file beside the recording while they
 * are made.
 */
struct cached_writer {
	/* the first member; registered with the table's row_out */
	struct row_listener listener;
};

/* Creates the cache file at @path (cached_rows_path()) for a table. @key
 * identifies the inputs of the rows (checkpoint_index_key()).
 *
 * Returns NULL if the file cannot be written, or when out of memory.
 */
struct cached_writer *cached_writer_open(const char *path, uint64_t key);

/* Publishes the file after all rows were made, unless an error occurred. */
void cached_writer_finish(struct cached_writer *writer);

/* Returns the start and end of row @row of @rows. */
struct cached_span cached_row_span(const struct row_chunk *rows, uint32_t row);

/* Frees the writer; discards an unfinished file. NULL is allowed. */
void cached_writer_close(struct cached_writer *writer);

/* Returns the path of @table's cache file, or NULL when out of memory. The
 * caller frees it.
 */
char *cached_rows_path(const struct recording *recording,
		       const struct sql_table *table);

/* Returns the ranges of start and end times that @choice accepts. */
struct cached_span cached_rows_wanted(const struct row_choice *choice);

/* Emits to @out the cached rows of out->table in the file at @path that may be
 * accepted, in their original order.
 *
 * Returns true if the file matches @key and is undamaged; all accepted rows
 * were then emitted. Otherwise returns false and emits none.
 */
bool cached_rows_send(const char *path, uint64_t key, struct row_out *out);

/* Emits the rows of a chunk of @size bytes, which are untrusted input. If @out
 * is NULL, only checks them.
 *
 * Returns whether the bytes are @count rows of @table.
 */
bool cached_rows_read(const void *bytes, size_t size, uint32_t count,
		      const struct sql_table *table, struct row_out *out);

#endif
