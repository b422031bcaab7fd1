/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROW_CHUNK_H
#define KT_SQL_ROW_CHUNK_H

#include "sql/rows/sql_table.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;

/* A column of a row. */
union sql_cell {
	int64_t number;
	double real;
	const char *text; /* NULL is SQL's NULL too */
};

enum { CHUNK_CELLS = 1 << 14 };

/* Some rows of one table, passed from the thread that makes them to the thread
 * that reads them.
 */
struct row_chunk {
	const struct sql_table *table;
	uint32_t count; /* number of rows */
	uint32_t room;
	struct arena *texts; /* texts of these rows; or NULL */
	uint64_t *nulls;     /* by row: a bit for each column */
	union sql_cell *cells;
	struct row_chunk *next; /* in a list */
};

/* Returns an empty chunk for rows of @table, which is borrowed; NULL when out
 * of memory. The caller frees it with row_chunk_free().
 */
struct row_chunk *row_chunk_new(const struct sql_table *table);
void row_chunk_free(struct row_chunk *chunk);

/* Removes all rows. */
void row_chunk_clear(struct row_chunk *chunk);

/* Returns a copy of @text that lives as long as the chunk's rows; NULL, which
 * is SQL's NULL, when out of memory.
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
