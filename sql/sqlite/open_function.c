/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/open_function.h"

#include "sql/rows/sql_table.h"
#include "sql/tables/sql_tables.h"

/* Returns the statements that create all tables of the recording at @path. */
static char *statements(const char *path, const char *schema)
{
	sqlite3_str *text = sqlite3_str_new(NULL);

	for (int i = 0; i < SQL_TABLES; i++) {
		const char *name = sql_table_at((enum sql_table_id)i)->name;

		sqlite3_str_appendf(text,
				    "CREATE VIRTUAL TABLE \"%w\".\"%w\" "
				    "USING ktrace(%Q, %Q);",
				    schema, name, path, name);
	}
	return sqlite3_str_finish(text);
}

static void open_tables(sqlite3_context *context, int argc,
			sqlite3_value **argv)
{
	sqlite3 *db = sqlite3_context_db_handle(context);
	const char *path = (const char *)sqlite3_value_text(argv[0]);
	const char *schema =
		argc > 1 ? (const char *)sqlite3_value_text(argv[1]) : "temp";
	char *message = NULL;
	char *text;

	if (!path || !schema) {
		sqlite3_result_error(context, "ktrace_open: no recording named",
				     -1);
		return;
	}
	text = statements(path, schema);
	if (!text)
		sqlite3_result_error_nomem(context);
	else if (sqlite3_exec(db, text, NULL, NULL, &message))
		sqlite3_result_error(context, message, -1);
	else
		sqlite3_result_int(context, SQL_TABLES);
	sqlite3_free(message);
	sqlite3_free(text);
}

int open_function_register(sqlite3 *db)
{
	int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
	int status = sqlite3_create_function(db, "ktrace_open", 1, flags, NULL,
					     open_tables, NULL, NULL);

	if (status)
		return status;
	return sqlite3_create_function(db, "ktrace_open", 2, flags, NULL,
				       open_tables, NULL, NULL);
}
