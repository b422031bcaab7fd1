/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/chunk_table.h"

#include "sql/sqlite/cell_result.h"
#include "sql/sqlite/table_schema.h"

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

/* A scan over all rows is the only plan. */
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

/* The chunk outlives the statement's execution. */
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

int chunk_table_register(struct chunk_table *rows, sqlite3 *db,
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
