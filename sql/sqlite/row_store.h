/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROW_STORE_H
#define KT_SQL_ROW_STORE_H

#include "sql/rows/row_choice.h"
#include "sql/rows/row_chunk.h"

struct sql_recording;

/* All rows of a table in memory: for the inner table of a join, which is asked
 * again and again.
 */
struct row_store {
	struct row_chunk *first;
	bool is_too_large; /* tried: they do not fit */
};

/* Makes all rows of table @id of @recording.
 *
 * Returns 0, also if they are too many, which @store then says, or a negative
 * enum error.
 */
int row_store_fill(struct row_store *store,
		   const struct sql_recording *recording, enum sql_table_id id);
void row_store_free(struct row_store *store);

/* A place in a store: before its first row if zeroed but for chunk. */
struct row_place {
	const struct row_chunk *chunk;
	uint32_t next; /* row */
};

/* Goes to the next row that @choice wants.  Returns false behind the last. */
bool row_store_next(const struct row_choice *choice, struct row_place *place);

#endif
