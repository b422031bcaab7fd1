/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/table_insert.h"

#include "sql/sqlite/table_schema.h"

#include <sqlite3.h>

/* Hidden columns have no place in a file: its sums are of all. */
static int prepare(struct table_insert *insert, sqlite3 *db,
		   const struct sql_table *table)
{
	sqlite3_str *text = sqlite3_str_new(db);
	const char *separator = "";
	char *made;
	int status;

	sqlite3_str_appendf(text, "INSERT INTO \"%w\" VALUES(", table->name);
	for (uint32_t i = 0; i < table->column_count; i++) {
		if (sql_column_is_hidden(&table->columns[i]))
			continue;
		sqlite3_str_appendf(text, "%s?%u", separator, i + 1);
		separator = ", ";
	}
	sqlite3_str_appendall(text, ")");
	made = sqlite3_str_finish(text);
	if (!made)
		return SQLITE_NOMEM;
	status = sqlite3_prepare_v3(db, made, -1, SQLITE_PREPARE_PERSISTENT,
				    &insert->statement, NULL);
	sqlite3_free(made);
	return status;
}

int table_insert_open(struct table_insert *insert, sqlite3 *db,
		      const struct sql_table *table)
{
	char *text = table_schema_text(table, false);
	int status = text ? sqlite3_exec(db, text, NULL, NULL, NULL) :
			    SQLITE_NOMEM;

	sqlite3_free(text);
	return status ? status : prepare(insert, db, table);
}

void table_insert_close(struct table_insert *insert)
{
	sqlite3_finalize(insert->statement);
}

/* The chunk outlives the step. */
static void bind(sqlite3_stmt *statement, int index, enum sql_type type,
		 const union sql_cell *cell)
{
	switch (type) {
	case SQL_INTEGER:
		sqlite3_bind_int64(statement, index, cell->number);
		break;
	case SQL_REAL:
		sqlite3_bind_double(statement, index, cell->real);
		break;
	case SQL_TEXT:
		sqlite3_bind_text(statement, index, cell->text, -1,
				  SQLITE_STATIC);
		break;
	}
}

static int insert_row(sqlite3_stmt *statement, const struct row_chunk *chunk,
		      uint32_t row)
{
	const struct sql_table *table = chunk->table;
	const union sql_cell *cells = row_chunk_cells(chunk, row);

	for (uint32_t i = 0; i < table->column_count; i++)
		if (row_chunk_is_null(chunk, row, i))
			sqlite3_bind_null(statement, (int)i + 1);
		else if (!sql_column_is_hidden(&table->columns[i]))
			bind(statement, (int)i + 1, table->columns[i].type,
			     &cells[i]);
	sqlite3_step(statement);
	return sqlite3_reset(statement);
}

int table_insert_rows(struct table_insert *insert,
		      const struct row_chunk *chunk)
{
	int status = SQLITE_OK;

	for (uint32_t i = 0; !status && i < chunk->count; i++)
		status = insert_row(insert->statement, chunk, i);
	return status;
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
