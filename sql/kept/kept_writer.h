/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_KEPT_WRITER_H
#define KT_SQL_KEPT_WRITER_H

#include "common/kept_chunk.h"
#include "sql/rows/row_out.h"

#include <stdint.h>

/* Keeps the rows of a table beside its recording, while they are made. */
struct kept_writer {
	struct row_listener listener; /* first: of the table's row_out */
};

/* Begins the file at @path (kept_rows_path()) for rows of a table.  @key is what
 * they depend on (checkpoint_index_key()).
 *
 * Returns NULL where the file cannot be written, or when out of memory.
 */
struct kept_writer *kept_writer_open(const char *path, uint64_t key);

/* All rows were made: puts the file in its place, if all went well. */
void kept_writer_finish(struct kept_writer *writer);

/* Returns when row @row of @rows begins and ends. */
struct kept_span kept_row_span(const struct row_chunk *rows, uint32_t row);

/* NULL is allowed.  What was not finished is gone. */
void kept_writer_close(struct kept_writer *writer);

#endif
