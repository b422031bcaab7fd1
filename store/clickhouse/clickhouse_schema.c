/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_schema.h"

#include "sql/tables/sql_tables.h"
#include "store/entry/store_entry.h"

#include <sqlite3.h>

const char *clickhouse_schema_table(enum sql_table_id id)
{
	return id == TABLE_RECORDING ? "recording_all" : sql_table_at(id)->name;
}

char *clickhouse_schema_insert(enum sql_table_id id)
{
	const struct sql_table *table = sql_table_at(id);
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendf(text, "INSERT INTO %s (",
			    clickhouse_schema_table(id));
	if (id != TABLE_RECORDING)
		sqlite3_str_appendall(text, "day, recording");
	for (int i = 0; id == TABLE_RECORDING && i < ENTRY_COLUMNS; i++)
		sqlite3_str_appendf(text, "%s%s", i ? ", " : "",
				    store_entry_columns[i].name);
	for (uint32_t i = 0; i < table->column_count; i++)
		if (!sql_column_is_hidden(&table->columns[i]))
			sqlite3_str_appendf(text, ", %s",
					    table->columns[i].name);
	sqlite3_str_appendall(text, ") FORMAT Native");
	return sqlite3_str_finish(text);
}
