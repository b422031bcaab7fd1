/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_KEPT_ROWS_H
#define KT_SQL_KEPT_ROWS_H

#include "common/kept_chunk.h"
#include "sql/rows/row_out.h"

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* Returns the path of @table's file, to be freed; NULL when out of memory. */
char *kept_rows_path(const struct recording *recording,
		     const struct sql_table *table);

/* Returns when rows begin and end that @choice may want. */
struct kept_span kept_rows_wanted(const struct row_choice *choice);

/* Hands those rows of out->table to @out that are kept in the file at @path and
 * may be wanted, in the order in which they were made.
 *
 * Returns whether there are any that fit and are whole: then all that are wanted
 * were handed on, else none.
 */
bool kept_rows_send(const char *path, uint64_t key, struct row_out *out);

/* Hands on the rows of a chunk: @bytes, @size of them, which are outside data.  With
 * @out NULL it only looks at them.
 *
 * Returns whether they are @count rows of @table.
 */
bool kept_rows_read(const void *bytes, size_t size, uint32_t count,
		    const struct sql_table *table, struct row_out *out);

#endif
