/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/table_insert.h"

#include "sql/sqlite/table_schema.h"
#include "sql/tables/sql_tables.h"

#include <sqlite3.h>
#include <stdlib.h>

struct connected {
	sqlite3_vtab base; /* must be the first member */
	const struct chunk_table *rows;
};

struct cursor {
	sqlite3_vtab_cursor base; /* must be the first member */
	uint32_t row;
};

static const struct row_chunk *chunk_of(const sqlite3_vtab_cursor *cursor)
{
	return ((const struct connected *)cursor->pVtab)->rows->chunk;
}

static int connect_rows(sqlite3 *db, void *ctx, int argc,
			const char *const *argv, sqlite3_vtab **vtab,
			char **message)
{
	struct chunk_table *rows = ctx;
	struct connected *connected = calloc(1, sizeof(*connected));
	char *text = table_schema_text(rows->table, true);
	int status = connected && text ? sqlite3_declare_vtab(db, text) :
					 SQLITE_NOMEM;

	(void)argc;
	(void)argv;
	(void)message;
	sqlite3_free(text);
	if (status) {
		free(connected);
		return status;
	}
	connected->rows = rows;
	*vtab = &connected->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
	free(base);
	return SQLITE_OK;
}

/* Chooses the only plan: a scan over all rows. */
static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	(void)base;
	info->estimatedCost = CHUNK_CELLS;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **made)
{
	struct cursor *cursor = calloc(1, sizeof(*cursor));

	(void)base;
	if (!cursor)
		return SQLITE_NOMEM;
	*made = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	free(base);
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan,
		  int argc, sqlite3_value **argv)
{
	(void)number;
	(void)plan;
	(void)argc;
	(void)argv;
	((struct cursor *)base)->row = 0;
	return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->row++;
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct cursor *)base)->row >= chunk_of(base)->count;
}

/* Returns a cell. Its text is static, since the chunk outlives the statement's
 * execution.
 */
static int column(sqlite3_vtab_cursor *base, sqlite3_context *context,
		  int index)
{
	cell_result(context, chunk_of(base), ((struct cursor *)base)->row,
		    (uint32_t)index, SQLITE_STATIC);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *number)
{
	*number = ((struct cursor *)base)->row;
	return SQLITE_OK;
}

/* Without xCreate the table exists as soon as the module does. */
static const sqlite3_module module = {
	.xConnect = connect_rows,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next_row,
	.xEof = is_at_end,
	.xColumn = column,
	.xRowid = rowid,
};

/* Registers with @db the table "chunk_NAME", where NAME and the columns are
 * those of @table. @rows must not move while @db is open.
 *
 * Returns an SQLite result code.
 */
static int chunk_table_register(struct chunk_table *rows, sqlite3 *db,
				const struct sql_table *table)
{
	char *name = sqlite3_mprintf("chunk_%s", table->name);
	int status = SQLITE_NOMEM;

	rows->table = table;
	if (name)
		status = sqlite3_create_module(db, name, &module, rows);
	sqlite3_free(name);
	return status;
}

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

/* The file has no hidden columns, which "*" leaves out: they select the window
 * of a table of sums, and the file's sums are of the whole recording.
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
			 const struct column *column)
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
		if (!column_is_hidden(&table->columns[i]))
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
