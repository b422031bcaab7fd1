/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_TABLE_INSERT_H
#define KT_SQL_SQLITE_TABLE_INSERT_H

#include "sql/rows/row_queue.h"

#include <sqlite3.h>

/* The rows of a chunk as a table of one connection, for statements that copy
 * them:
 * 	INSERT INTO call SELECT * FROM chunk_call
 * This takes half the time of a statement executed once per row with bound
 * parameters.
 */
struct chunk_table {
	const struct sql_table *table;
	/* borrowed; read while a statement runs */
	const struct row_chunk *chunk;
};

/* Writes rows into one table of a database. The struct must not move while the
 * database is open. Functions return SQLite result codes.
 */
struct table_insert {
	struct chunk_table rows;
	sqlite3_stmt *statement;
};

/* Creates @table in @db, which must not have it. */
int table_insert_open(struct table_insert *insert, sqlite3 *db,
		      const struct sql_table *table);

/* Prepares @query, which copies rows of @table from "chunk_NAME"
 * (table_insert.c).
 */
int table_insert_prepare(struct table_insert *insert, sqlite3 *db,
			 const struct sql_table *table, const char *query);

/* table_insert_close() frees the statement; it must be opened or prepared again
 * before further insertions. table_insert_rows() executes it for @chunk.
 */
void table_insert_close(struct table_insert *insert);

int table_insert_rows(struct table_insert *insert,
		      const struct row_chunk *chunk);

/* Makes and fills the table "schema", which has a row for each column of all
 * tables: its meaning.
 */
int table_schema_insert(sqlite3 *db);

#endif
