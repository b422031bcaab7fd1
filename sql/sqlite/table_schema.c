/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/table_schema.h"

#include "report/text/name_text.h"
#include "sql/tables/sql_tables.h"

#include <stdlib.h>

static const char *const type_names[] = {
	[COLUMN_INTEGER] = "INTEGER",
	[COLUMN_REAL] = "REAL",
	[COLUMN_TEXT] = "TEXT",
};

char *table_schema_text(const struct sql_table *table, bool has_hidden)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	const char *separator = "";

	sqlite3_str_appendf(text, "CREATE TABLE \"%w\"(", table->name);
	for (uint32_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		bool is_hidden = column_is_hidden(column);

		if (is_hidden && !has_hidden)
			continue;
		sqlite3_str_appendf(text, "%s\"%w\" %s%s", separator,
				    column->name, type_names[column->type],
				    is_hidden ? " HIDDEN" : "");
		separator = ", ";
	}
	sqlite3_str_appendall(text, ")");
	return sqlite3_str_finish(text);
}

/* Writes the description of a column as a row of a Markdown table.
 * Its name, unit and meaning must not contain a bar, which is not escaped.
 */
static void write_column(const struct column *column, FILE *out)
{
	fprintf(out, "| %s | %s | %s | %s |\n", column->name,
		type_names[column->type], column->unit, column->meaning);
}

void table_schema_document(FILE *out)
{
	fprintf(out, "Schema version %d.\n", SQL_SCHEMA_VERSION);
	for (int i = 0; i < SQL_TABLES; i++) {
		const struct sql_table *table =
			sql_table_at((enum sql_table_id)i);

		fprintf(out,
			"\n## %s\n\n%s\n\n"
			"| column | type | unit | meaning |\n"
			"|---|---|---|---|\n",
			table->name, table->meaning);
		for (uint32_t j = 0; j < table->column_count; j++)
			write_column(&table->columns[j], out);
	}
}

/* Bytes that are not UTF-8 are escaped: readers of a database would refuse the
 * whole text.
 */
static void text_result(sqlite3_context *context, const char *text,
			sqlite3_destructor_type texts)
{
	char *made = NULL;

	if (text && !name_utf8(text, &made))
		sqlite3_result_error_nomem(context);
	else if (made)
		sqlite3_result_text(context, made, -1, free);
	else
		sqlite3_result_text(context, text, -1, texts);
}

/* Sets no result for a cell that is NULL: SQLite then has NULL. */
void cell_result(sqlite3_context *context, const struct row_chunk *chunk,
		 uint32_t row, uint32_t column, sqlite3_destructor_type texts)
{
	const union sql_cell *cell = &row_chunk_cells(chunk, row)[column];

	if (row_chunk_is_null(chunk, row, column))
		return;
	switch (chunk->table->columns[column].type) {
	case COLUMN_INTEGER:
		sqlite3_result_int64(context, cell->number);
		break;
	case COLUMN_REAL:
		sqlite3_result_double(context, cell->real);
		break;
	case COLUMN_TEXT:
		text_result(context, cell->text, texts);
		break;
	}
}
