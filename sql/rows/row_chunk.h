/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROW_CHUNK_H
#define KT_SQL_ROW_CHUNK_H

#include "sql/rows/sql_table.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;

/* One column of one row. */
union sql_cell {
	int64_t number;
	double real;
	const char *text; /* NULL is SQL's NULL, too */
};

enum { CHUNK_CELLS = 1 << 14 };

/* Some rows of one table, on the way from who makes them to who reads them. */
struct row_chunk {
	const struct sql_table *table;
	uint32_t count; /* of rows */
	uint32_t room;
	struct arena *texts; /* what is made for these rows; NULL: none */
	uint64_t *nulls;     /* by row: a bit for each column */
	union sql_cell *cells;
	struct row_chunk *next; /* of a list */
};

/* Returns an empty one for rows of @table, borrowed, to be freed by
 * row_chunk_free(); NULL when out of memory.
 */
struct row_chunk *row_chunk_new(const struct sql_table *table);
void row_chunk_free(struct row_chunk *chunk);

/* Empties it. */
void row_chunk_clear(struct row_chunk *chunk);

/* Copies a text into what lives as long as the chunk's rows.  Returns NULL, for
 * SQL's NULL, when out of memory.
 */
const char *row_chunk_text(struct row_chunk *chunk, const char *text);

static inline union sql_cell *row_chunk_cells(const struct row_chunk *chunk,
					      uint32_t row)
{
	return chunk->cells + (size_t)row * chunk->table->column_count;
}

static inline bool row_chunk_is_null(const struct row_chunk *chunk,
				     uint32_t row, uint32_t column)
{
	return chunk->nulls[row] >> column & 1;
}

#endif
