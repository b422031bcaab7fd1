/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_KEPT_WRITER_H
#define KT_SQL_KEPT_WRITER_H

#include "common/kept_file.h"
#include "sql/rows/row_out.h"

#include <stdint.h>

/* Writes the rows of a table to its cache file beside the recording while they
 * are made.
 */
struct kept_writer {
	/* the first member; registered with the table's row_out */
	struct row_listener listener;
};

/* Creates the cache file at @path (kept_rows_path()) for a table. @key
 * identifies the inputs of the rows (checkpoint_index_key()).
 *
 * Returns NULL if the file cannot be written, or when out of memory.
 */
struct kept_writer *kept_writer_open(const char *path, uint64_t key);

/* Publishes the file after all rows were made, unless an error occurred. */
void kept_writer_finish(struct kept_writer *writer);

/* Returns the start and end of row @row of @rows. */
struct kept_span kept_row_span(const struct row_chunk *rows, uint32_t row);

/* Frees the writer; discards an unfinished file. NULL is allowed. */
void kept_writer_close(struct kept_writer *writer);

#endif
