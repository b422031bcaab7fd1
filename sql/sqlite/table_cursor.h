/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_TABLE_CURSOR_H
#define KT_SQL_TABLE_CURSOR_H

#include "sql/rows/row_choice.h"
#include "sql/rows/row_chunk.h"
#include "sql/sqlite/row_store.h"

#include <stdbool.h>

struct sql_recording;
struct table_scan;

/* The rows of one table that a query asks for, one after the other. */
struct table_cursor {
	const struct sql_recording *recording; /* borrowed */
	enum sql_table_id id;
	struct row_choice choice;
	struct table_scan *scan; /* rows as they are made; or NULL */
	struct row_chunk *chunk; /* of the scan */
	struct row_store store;
	struct row_place place; /* in the chunk or the store: behind
					 * the row */
	uint32_t asked;		/* how often */
	bool is_at_end;
};

/* Goes to the first row that @choice wants.  The first time these rows are made
 * as they are asked for; after that all are kept, if they are not too many.
 *
 * Returns 0 or a negative enum error.
 */
int table_cursor_ask(struct table_cursor *cursor,
		     const struct row_choice *choice);

/* Goes to the next row, or to the end.  Returns as above. */
int table_cursor_next(struct table_cursor *cursor);

/* Returns the number of the row in its chunk, if it is not at the end. */
static inline uint32_t table_cursor_row(const struct table_cursor *cursor)
{
	return cursor->place.next - 1;
}

void table_cursor_close(struct table_cursor *cursor);

#endif
