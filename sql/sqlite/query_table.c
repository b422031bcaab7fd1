/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/query_table.h"

#include "common/error.h"
#include "report/text/name_text.h"

#include <sqlite3.h>

#include <stdbool.h>
#include <stdlib.h>

struct table_column {
	int width;
	bool is_text; /* texts are left-aligned, numbers right-aligned */
};

static struct table_column *column_at(const struct query_table *table,
				      size_t index)
{
	return (struct table_column *)table->columns.items + index;
}

/* The width in characters of UTF-8. */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void widen(struct table_column *column, const char *text)
{
	if (column->width < width_of(text))
		column->width = width_of(text);
}

int query_table_open(struct query_table *table, sqlite3_stmt *statement)
{
	int count = sqlite3_column_count(statement);

	*table = (struct query_table){
		.statement = statement,
		.columns = ARRAY_OF(struct table_column),
		.cells = ARRAY_OF(char *),
	};
	for (int i = 0; i < count; i++) {
		struct table_column *column = array_add(&table->columns);

		if (!column)
			return -ERROR_MEMORY;
		widen(column, sqlite3_column_name(statement, i));
	}
	return 0;
}

void query_table_close(struct query_table *table)
{
	for (size_t i = 0; i < table->cells.count; i++)
		free(*(char **)array_at(&table->cells, i));
	array_free(&table->cells);
	array_free(&table->columns);
}

int query_table_keep(struct query_table *table)
{
	for (size_t i = 0; i < table->columns.count; i++) {
		const char *text = (const char *)sqlite3_column_text(
			table->statement, (int)i);
		struct table_column *column = column_at(table, i);
		char **cell = array_add(&table->cells);

		if (cell)
			*cell = name_made(NAME_TEXT, text ? text : "-");
		if (!cell || !*cell)
			return -ERROR_MEMORY;
		column->is_text |= sqlite3_column_type(table->statement,
						       (int)i) == SQLITE_TEXT;
		widen(column, *cell);
	}
	return 0;
}

/* Adds no spaces at the end of a line. */
static void write_cell(const struct query_table *table, size_t index,
		       const char *text, FILE *out)
{
	const struct table_column *column = column_at(table, index);
	bool is_last = index + 1 == table->columns.count;
	int rest = column->width - width_of(text);

	if (column->is_text)
		fprintf(out, "%s%*s", text, is_last ? 0 : rest, "");
	else
		fprintf(out, "%*s%s", rest, "", text);
	fputs(is_last ? "\n" : "  ", out);
}

void query_table_write(const struct query_table *table, FILE *out)
{
	size_t width = table->columns.count;

	for (size_t i = 0; i < width; i++)
		write_cell(table, i,
			   sqlite3_column_name(table->statement, (int)i), out);
	for (size_t i = 0; i < table->cells.count; i++)
		write_cell(table, i % width,
			   *(char **)array_at(&table->cells, i), out);
}
