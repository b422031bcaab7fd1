/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_TABLE_INSERT_H
#define KT_SQL_TABLE_INSERT_H

#include "sql/rows/row_chunk.h"

struct sqlite3;
struct sqlite3_stmt;

/* Writes rows into one table of a database.  Functions return SQLite result
 * codes.
 */
struct table_insert {
	struct sqlite3_stmt *statement;
};

/* Makes @table in @db, which has it not. */
int table_insert_open(struct table_insert *insert, struct sqlite3 *db,
		      const struct sql_table *table);
void table_insert_close(struct table_insert *insert);

int table_insert_rows(struct table_insert *insert,
		      const struct row_chunk *chunk);

/* Makes and fills the table "schema", which has a row for each column of all
 * tables: what it means.
 */
int table_schema_insert(struct sqlite3 *db);

#endif
