/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_TABLE_CURSOR_H
#define KT_SQL_TABLE_CURSOR_H

#include "sql/rows/row_choice.h"
#include "sql/rows/row_chunk.h"
#include "sql/sqlite/row_store.h"

#include <stdbool.h>

struct sql_recording;
struct table_scan;

/* A cursor over the rows of one table that a query accepts. */
struct table_cursor {
	const struct sql_recording *recording; /* borrowed */
	enum sql_table_id id;
	struct row_choice choice;
	struct table_scan *scan; /* source of the first query's rows; or NULL */
	struct row_chunk *chunk; /* the current chunk of the scan */
	struct row_store store;
	/* in the chunk or the store: after the current row */
	struct row_place place;
	uint32_t asked; /* number of queries so far */
	bool is_at_end;
};

/* Moves to the first row that @choice accepts. The first query decodes its rows
 * on demand; later queries load all rows into memory if they fit.
 *
 * Returns 0 or a negative enum error.
 */
int table_cursor_ask(struct table_cursor *cursor,
		     const struct row_choice *choice);

/* Moves to the next row or to the end. Returns like table_cursor_ask(). */
int table_cursor_next(struct table_cursor *cursor);

/* Returns the index of the current row in its chunk. The cursor must not be at
 * the end.
 */
static inline uint32_t table_cursor_row(const struct table_cursor *cursor)
{
	return cursor->place.next - 1;
}

void table_cursor_close(struct table_cursor *cursor);

#endif
