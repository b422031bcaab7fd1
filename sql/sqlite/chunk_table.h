/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_CHUNK_TABLE_H
#define KT_SQL_CHUNK_TABLE_H

#include "sql/rows/row_chunk.h"

#include <sqlite3.h>

/* The rows of a chunk as a table of one connection, for statements that copy
 * them:
 * 	INSERT INTO call SELECT * FROM chunk_call
 * This takes half the time of a statement executed once per row with bound parameters.
 */
struct chunk_table {
	const struct sql_table *table;
	/* borrowed; read while a statement runs */
	const struct row_chunk *chunk;
};

/* Registers with @db the table "chunk_NAME", where NAME and the columns are
 * those of @table. @rows must not move while @db is open.
 *
 * Returns an SQLite result code.
 */
int chunk_table_register(struct chunk_table *rows, sqlite3 *db,
			 const struct sql_table *table);

#endif
