/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_CHUNK_TABLE_H
#define KT_SQL_CHUNK_TABLE_H

#include "sql/rows/row_chunk.h"

#include <sqlite3.h>

/* The rows of a chunk as a table of one connection, for statements that copy them:
 *	INSERT INTO call SELECT * FROM chunk_call
 * That takes half the time of a statement that is run for each row, whose values
 * are bound to parameters.
 */
struct chunk_table {
	const struct sql_table *table;
	const struct row_chunk *chunk; /* borrowed: read while a statement runs */
};

/* Makes known to @db the table "chunk_NAME", with NAME and the columns of @table.
 * @rows has to stay where it is as long as @db is open.
 *
 * Returns an SQLite result code.
 */
int chunk_table_register(struct chunk_table *rows, sqlite3 *db,
			 const struct sql_table *table);

#endif
