/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROW_PACK_H
#define KT_SQL_ROW_PACK_H

#include "sql/rows/row_chunk.h"

#include <stdint.h>

struct pack;

/* A serialized row: a bit for each column that is NULL; then the number of each
 * column, or for a text a flag for its presence and the text.
 */

/* Appends row @row of @chunk. */
void row_pack_write(struct pack *pack, const struct row_chunk *chunk,
		    uint32_t row);

/* Reads the next row of @table: sets *@nulls and @cells (by column), whose
 * texts point into @pack's bytes. The bytes are untrusted input: see struct
 * pack.
 */
void row_pack_read(struct pack *pack, const struct sql_table *table,
		   uint64_t *nulls, union sql_cell *cells);

#endif
