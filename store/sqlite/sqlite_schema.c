/* SPDX-License-Identifier: MIT */
#include "store/sqlite/sqlite_schema.h"

#include "sql/tables/sql_tables.h"
#include "store/entry/store_entry.h"

static const char *type_name(enum sql_type type)
{
	switch (type) {
	case SQL_INTEGER:
		return "INTEGER";
	case SQL_REAL:
		return "REAL";
	case SQL_TEXT:
		break;
	}
	return "TEXT";
}

static void append_columns(sqlite3_str *text, const struct sql_table *table)
{
	for (uint32_t i = 0; i < table->column_count; i++)
		if (!sql_column_is_hidden(&table->columns[i]))
			sqlite3_str_appendf(text, ", \"%w\" %s",
					    table->columns[i].name,
					    type_name(table->columns[i].type));
}

static void append_entry_columns(sqlite3_str *text)
{
	for (int i = 0; i < ENTRY_COLUMNS; i++)
		sqlite3_str_appendf(text, "%s\"%w\" %s%s", i ? ", " : "",
				    store_entry_columns[i].name,
				    type_name(store_entry_columns[i].type),
				    i == ENTRY_RECORDING ? " PRIMARY KEY" :
				    i == ENTRY_ID	 ? " NOT NULL UNIQUE" :
							   "");
}

static void append_table(sqlite3_str *text, enum sql_table_id id)
{
	const struct sql_table *table = sql_table_at(id);

	sqlite3_str_appendf(text, "CREATE TABLE \"%w\"(", table->name);
	if (id == TABLE_RECORDING)
		append_entry_columns(text);
	else
		sqlite3_str_appendall(text, "recording INTEGER NOT NULL");
	append_columns(text, table);
	sqlite3_str_appendall(text, ");");
}

int sqlite_schema_make(sqlite3 *db)
{
	sqlite3_str *text = sqlite3_str_new(db);
	char *made;
	int status;

	sqlite3_str_appendf(text,
			    "PRAGMA application_id = %d;"
			    "PRAGMA user_version = %d;"
			    "CREATE TABLE label(recording INTEGER NOT NULL, "
			    "name TEXT NOT NULL, value TEXT NOT NULL, "
			    "PRIMARY KEY(recording, name)) WITHOUT ROWID;",
			    SQLITE_STORE_APPLICATION, STORE_SCHEMA_VERSION);
	for (int i = 0; i < SQL_TABLES; i++)
		append_table(text, (enum sql_table_id)i);
	made = sqlite3_str_finish(text);
	status = made ? sqlite3_exec(db, made, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(made);
	return status;
}

/* Names the columns twice, because an older or newer file may have them in
 * another order.
 */
static void append_names(sqlite3_str *text, const struct sql_table *table)
{
	for (uint32_t i = 0; i < table->column_count; i++)
		if (!sql_column_is_hidden(&table->columns[i]))
			sqlite3_str_appendf(text, ", \"%w\"",
					    table->columns[i].name);
}

char *sqlite_schema_insert(enum sql_table_id id, int64_t number)
{
	const struct sql_table *table = sql_table_at(id);
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendf(text, "INSERT INTO \"%w\"(recording", table->name);
	append_names(text, table);
	sqlite3_str_appendf(text, ") SELECT %lld, * FROM \"chunk_%w\"",
			    (long long)number, table->name);
	return sqlite3_str_finish(text);
}

char *sqlite_schema_insert_entry(void)
{
	const struct sql_table *table = sql_table_at(TABLE_RECORDING);
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendall(text, "INSERT INTO recording(");
	for (int i = 0; i < ENTRY_COLUMNS; i++)
		sqlite3_str_appendf(text, "%s\"%w\"", i ? ", " : "",
				    store_entry_columns[i].name);
	append_names(text, table);
	sqlite3_str_appendall(text, ") SELECT ");
	for (int i = 0; i < ENTRY_COLUMNS; i++)
		sqlite3_str_appendf(text, "?%d, ", i + 1);
	sqlite3_str_appendf(text, "* FROM \"chunk_%w\"", table->name);
	return sqlite3_str_finish(text);
}
