/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROW_OUT_H
#define KT_SQL_ROW_OUT_H

#include "sql/rows/row_choice.h"
#include "sql/rows/row_chunk.h"

#include <stdint.h>

struct row_queue;

/* Sees all rows of a table, wanted or not: row @row of @chunk. */
struct row_listener {
	void (*take)(struct row_listener *listener,
		     const struct row_chunk *chunk, uint32_t row);
};

/* Where one table's rows go: a row is begun, its cells are filled in, and it is
 * ended.
 */
struct row_out {
	const struct sql_table *table;	 /* borrowed */
	struct row_queue *queue;	 /* borrowed */
	const struct row_choice *choice; /* borrowed */
	struct row_chunk *chunk;	 /* being filled; or NULL */
	struct row_listener *listener;	 /* borrowed; or NULL */
	uint32_t enough; /* rows that are handed on if awaited */
	int status;	 /* 0 or -ERROR_MEMORY */
};

/* Returns the cells of a new row, by column, none of which is NULL, but what
 * they hold is to be overwritten; NULL when out of memory.
 */
union sql_cell *row_out_begin(struct row_out *out);

/* Returns the same cells again, before row_out_end(). */
static inline union sql_cell *row_out_cells(const struct row_out *out)
{
	return row_chunk_cells(out->chunk, out->chunk->count);
}

/* Sets @column of the row that was begun to NULL. */
static inline void row_out_null(struct row_out *out, uint32_t column)
{
	out->chunk->nulls[out->chunk->count] |= (uint64_t)1 << column;
}

/* Returns a copy of @text for the row that was begun. */
const char *row_out_text(struct row_out *out, const char *text);

/* Hands the row on if it is wanted. */
void row_out_end(struct row_out *out);

/* Hands on what was not yet.  Returns 0 or -ERROR_MEMORY. */
int row_out_flush(struct row_out *out);

#endif
