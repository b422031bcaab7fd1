/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROW_PACK_H
#define KT_SQL_ROW_PACK_H

#include "sql/rows/row_chunk.h"

#include <stdint.h>

struct pack;

/* A row as bytes: which columns are NULL, a bit each; then each column's number,
 * or for a text whether there is one, and it.
 */

/* Appends row @row of @chunk. */
void row_pack_write(struct pack *pack, const struct row_chunk *chunk,
		    uint32_t row);

/* Reads the next row of @table: sets *@nulls and @cells, by column, whose texts
 * lie in what @pack reads.  What is read is outside data: see struct pack.
 */
void row_pack_read(struct pack *pack, const struct sql_table *table,
		   uint64_t *nulls, union sql_cell *cells);

#endif
