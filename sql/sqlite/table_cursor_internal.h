/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_TABLE_CURSOR_INTERNAL_H
#define KT_SQL_SQLITE_TABLE_CURSOR_INTERNAL_H

#include "sql/rows/row_out.h"
#include "sql/rows/row_queue.h"
#include "sql/rows/sql_table.h"

#include <assert.h>
#include <stdbool.h>

struct sql_recording;
struct table_scan;

/* All rows of a table in memory, for the inner table of a join, which is read
 * repeatedly.
 */
struct row_store {
	struct row_chunk *first;
	bool is_too_large; /* the rows exceed the memory limit */
};

/* A position in a store. With only chunk set and zeros otherwise, it is before
 * the first row.
 */
struct row_place {
	const struct row_chunk *chunk;
	uint32_t next; /* index of the next row */
};

/* A cursor over the rows of one table that a query accepts. */
struct table_cursor {
	const struct sql_recording *recording; /* borrowed */
	enum sql_table_id id;
	struct row_choice choice;
	struct table_scan *scan; /* source of the first query's rows; or NULL */
	struct row_chunk *chunk; /* the current chunk of the scan */
	struct row_store store;
	/* position in the chunk or the store, after the current row */
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
	assert(!cursor->is_at_end && cursor->place.next);
	return cursor->place.next - 1;
}

void table_cursor_close(struct table_cursor *cursor);

#endif
