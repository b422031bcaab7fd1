/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROW_STORE_H
#define KT_SQL_ROW_STORE_H

#include "sql/rows/row_choice.h"
#include "sql/rows/row_chunk.h"

struct sql_recording;

/* All rows of a table in memory, for the inner table of a join, which is read
 * repeatedly.
 */
struct row_store {
	struct row_chunk *first;
	bool is_too_large; /* the rows exceed the memory limit */
};

/* Makes all rows of table @id of @recording.
 *
 * Returns 0 or a negative enum error. If the rows exceed the limit, returns 0
 * and sets is_too_large.
 */
int row_store_fill(struct row_store *store,
		   const struct sql_recording *recording, enum sql_table_id id);
void row_store_free(struct row_store *store);

/* A position in a store. With only chunk set and zeros otherwise, it is before
 * the first row.
 */
struct row_place {
	const struct row_chunk *chunk;
	uint32_t next; /* index of the next row */
};

/* Advances to the next row that @choice accepts. Returns false after the last.
 */
bool row_store_next(const struct row_choice *choice, struct row_place *place);

#endif
