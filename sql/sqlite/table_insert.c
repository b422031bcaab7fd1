/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/table_insert.h"

#include "sql/sqlite/table_schema.h"
#include "sql/tables/sql_tables.h"

#include <sqlite3.h>

int table_insert_prepare(struct table_insert *insert, sqlite3 *db,
			 const struct sql_table *table, const char *query)
{
	int status = chunk_table_register(&insert->rows, db, table);

	return status ? status :
			sqlite3_prepare_v3(db, query, -1,
					   SQLITE_PREPARE_PERSISTENT,
					   &insert->statement, NULL);
}

static int make_table(sqlite3 *db, const struct sql_table *table)
{
	char *text = table_schema_text(table, false);
	int status = text ? sqlite3_exec(db, text, NULL, NULL, NULL) :
			    SQLITE_NOMEM;

	sqlite3_free(text);
	return status;
}

/* Hidden columns are not in "*" and not in the file, whose sums are of the
 * whole recording.
 */
int table_insert_open(struct table_insert *insert, sqlite3 *db,
		      const struct sql_table *table)
{
	char *query = sqlite3_mprintf("INSERT INTO \"%w\" SELECT * FROM "
				      "\"chunk_%w\"",
				      table->name, table->name);
	int status = query ? make_table(db, table) : SQLITE_NOMEM;

	if (!status)
		status = table_insert_prepare(insert, db, table, query);
	sqlite3_free(query);
	return status;
}

void table_insert_close(struct table_insert *insert)
{
	sqlite3_finalize(insert->statement);
	insert->statement = NULL;
}

int table_insert_rows(struct table_insert *insert,
		      const struct row_chunk *chunk)
{
	insert->rows.chunk = chunk;
	sqlite3_step(insert->statement);
	return sqlite3_reset(insert->statement);
}

static int insert_column(sqlite3_stmt *statement, const struct sql_table *table,
			 const struct sql_column *column)
{
	sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 2, column->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 3, column->unit, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 4, column->meaning, -1, SQLITE_STATIC);
	sqlite3_step(statement);
	return sqlite3_reset(statement);
}

static int insert_columns(sqlite3_stmt *statement,
			  const struct sql_table *table)
{
	int status = SQLITE_OK;

	for (uint32_t i = 0; !status && i < table->column_count; i++)
		if (!sql_column_is_hidden(&table->columns[i]))
			status = insert_column(statement, table,
					       &table->columns[i]);
	return status;
}

int table_schema_insert(sqlite3 *db)
{
	sqlite3_stmt *statement = NULL;
	int status = sqlite3_exec(db,
				  "CREATE TABLE schema(\"table\" TEXT, "
				  "\"column\" TEXT, unit TEXT, meaning TEXT)",
				  NULL, NULL, NULL);

	if (!status)
		status = sqlite3_prepare_v2(
			db, "INSERT INTO schema VALUES(?, ?, ?, ?)", -1,
			&statement, NULL);
	for (int i = 0; !status && i < SQL_TABLES; i++)
		status = insert_columns(statement,
					sql_table_at((enum sql_table_id)i));
	sqlite3_finalize(statement);
	return status;
}
