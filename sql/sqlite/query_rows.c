/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/query_rows.h"

#include "common/array.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/text/name_text.h"
#include "sql/rows/sql_table.h"
#include "sql/scan/table_scan.h"
#include "sql/sqlite/virtual_table.h"
#include "sql/tables/sql_tables.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The rows of a query as aligned columns, stored until all widths are known. */
struct query_table {
	struct sqlite3_stmt *statement; /* borrowed */
	struct array columns;		/* struct table_column */
	struct array cells;		/* char *, row by row */
};

struct table_column {
	int width;
	bool is_text; /* texts are left-aligned, numbers right-aligned */
};

static struct table_column *column_at(const struct query_table *table,
				      size_t index)
{
	return (struct table_column *)table->columns.items + index;
}

/* Returns the width of @text in characters of UTF-8. */
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

/* Initialises @table with the columns of @statement, without rows. Returns 0 or
 * -ERROR_MEMORY.
 */
static int query_table_open(struct query_table *table, sqlite3_stmt *statement)
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

static void query_table_close(struct query_table *table)
{
	for (size_t i = 0; i < table->cells.count; i++)
		free(*(char **)array_at(&table->cells, i));
	array_free(&table->cells);
	array_free(&table->columns);
}

/* Stores the current row of the statement. Returns 0 or -ERROR_MEMORY. */
static int query_table_keep(struct query_table *table)
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

/* Writes the columns' names and all rows. */
static void query_table_write(const struct query_table *table, FILE *out)
{
	size_t width = table->columns.count;

	for (size_t i = 0; i < width; i++)
		write_cell(table, i,
			   sqlite3_column_name(table->statement, (int)i), out);
	for (size_t i = 0; i < table->cells.count; i++)
		write_cell(table, i % width,
			   *(char **)array_at(&table->cells, i), out);
}

/* An opener that returns the same recording each time. */
struct only_recording {
	struct recording_opener opener; /* must be the first member */
	const struct sql_recording *recording;
};

static const struct sql_recording *open_only(struct recording_opener *opener,
					     const char *path, char **message)
{
	(void)path;
	(void)message;
	return ((struct only_recording *)opener)->recording;
}

static void close_only(struct recording_opener *opener,
		       const struct sql_recording *recording)
{
	(void)opener;
	(void)recording;
}

static void free_only(struct recording_opener *opener)
{
	free(opener);
}

static int register_only(sqlite3 *db, const struct sql_recording *recording)
{
	struct only_recording *only = calloc(1, sizeof(*only));

	if (!only)
		return SQLITE_NOMEM;
	only->opener =
		(struct recording_opener){ open_only, close_only, free_only };
	only->recording = recording;
	return virtual_tables_register(db, &only->opener);
}

static int make_tables(sqlite3 *db, const struct sql_recording *recording,
		       char **message)
{
	char *text =
		sqlite3_mprintf("SELECT ktrace_open(%Q, 'main')",
				recording_path(recording->input.recording));
	int status = text ? sqlite3_exec(db, text, NULL, NULL, message) :
			    SQLITE_NOMEM;

	sqlite3_free(text);
	return status;
}

int query_database_open(const struct sql_recording *recording, sqlite3 **db,
			char **message)
{
	int status = sqlite3_open(":memory:", db);

	*message = NULL;
	if (!status)
		status = register_only(*db, recording);
	if (!status)
		status = make_tables(*db, recording, message);
	if (status && !*message)
		*message = sqlite3_mprintf("%s", sqlite3_errstr(status));
	return status ? -1 : 0;
}

static void write_value(struct record_writer *writer, const char *name,
			sqlite3_stmt *statement, int column)
{
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		record_signed(writer, name,
			      sqlite3_column_int64(statement, column));
		break;
	case SQLITE_FLOAT:
		record_float(writer, name,
			     sqlite3_column_double(statement, column));
		break;
	case SQLITE_NULL:
		record_absent(writer, name);
		break;
	default:
		record_text(writer, name,
			    (const char *)sqlite3_column_text(statement,
							      column));
		break;
	}
}

/* The current row of a statement. */
struct row {
	sqlite3_stmt *statement;
};

static void write_fields(struct record_writer *writer, const void *ctx,
			 uint64_t index)
{
	sqlite3_stmt *statement = ((const struct row *)ctx)->statement;
	int count = sqlite3_column_count(statement);

	(void)index;
	for (int i = 0; i < count; i++)
		write_value(writer, sqlite3_column_name(statement, i),
			    statement, i);
}

static int write_records(sqlite3_stmt *statement, enum record_format format,
			 FILE *out)
{
	struct record_writer writer = record_writer_of(out, format);
	const struct row row = { statement };
	int status;

	record_writer_begin(&writer);
	while ((status = sqlite3_step(statement)) == SQLITE_ROW)
		record_writer_record(&writer, write_fields, &row, 0);
	if (status == SQLITE_DONE)
		record_writer_names(&writer, write_fields, &row);
	record_writer_end(&writer);
	return status;
}

static int write_table(sqlite3_stmt *statement, FILE *out)
{
	struct query_table table;
	bool is_kept = !query_table_open(&table, statement);
	int status = SQLITE_NOMEM;

	while (is_kept && (status = sqlite3_step(statement)) == SQLITE_ROW)
		is_kept = !query_table_keep(&table);
	if (is_kept && status == SQLITE_DONE)
		query_table_write(&table, out);
	query_table_close(&table);
	return status == SQLITE_ROW ? SQLITE_NOMEM : status;
}

static int run_statement(sqlite3_stmt *statement, enum record_format format,
			 FILE *out)
{
	int status;

	if (!sqlite3_column_count(statement))
		status = sqlite3_step(statement);
	else if (format == RECORD_TABLE)
		status = write_table(statement, out);
	else
		status = write_records(statement, format, out);
	return status == SQLITE_DONE ? SQLITE_OK : status;
}

/* Records the table and column that a query reads. The column is "" if the
 * query only counts rows; @schema is then as in the query, NULL if it names
 * none. Reads by a view of chosen_views_create() itself, which has the name of
 * its table, are ignored: a query of the view also reports the columns that it
 * reads of the view.
 */
static int note_read(void *ctx, int action, const char *table_name,
		     const char *column_name, const char *schema,
		     const char *view)
{
	struct sql_reads *reads = ctx;
	const struct sql_table *table =
		action == SQLITE_READ && !(view && sql_table_find(view)) &&
				(!schema || !sqlite3_stricmp(schema, "main") ||
				 !sqlite3_stricmp(schema, "temp")) ?
			sql_table_find(table_name) :
			NULL;

	if (!table)
		return SQLITE_OK;
	reads->tables[table->id] = true;
	for (uint32_t i = 0; i < table->column_count; i++)
		if (!strcmp(table->columns[i].name, column_name))
			reads->columns[table->id] |= SQL_COLUMN(i);
	return SQLITE_OK;
}

static int run_all(sqlite3 *db, const char *text, enum record_format format,
		   FILE *out)
{
	int status = SQLITE_OK;

	while (!status && *text) {
		sqlite3_stmt *statement = NULL;

		status = sqlite3_prepare_v2(db, text, -1, &statement, &text);
		/* Blanks or a comment alone produce no statement. */
		if (!status && statement)
			status = run_statement(statement, format, out);
		sqlite3_finalize(statement);
	}
	return status;
}

int query_rows_write(sqlite3 *db, const char *text, enum record_format format,
		     struct sql_reads *reads, FILE *out)
{
	int status;

	*reads = (struct sql_reads){ 0 };
	sqlite3_set_authorizer(db, note_read, reads);
	status = run_all(db, text, format, out);
	sqlite3_set_authorizer(db, NULL, NULL);
	return status ? -1 : 0;
}
