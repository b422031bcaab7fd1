/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/query_rows.h"

#include "sql/rows/sql_needs.h"
#include "sql/sqlite/query_table.h"
#include "sql/tables/sql_tables.h"

#include <sqlite3.h>

#include <string.h>

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

/* Notes a column that a query reads, "" if the query only counts rows: then
 * @schema is as in the query, NULL if it names none.
 */
static int note_read(void *ctx, int action, const char *table_name,
		     const char *column_name, const char *schema,
		     const char *view)
{
	struct sql_reads *reads = ctx;
	const struct sql_table *table =
		action == SQLITE_READ &&
				(!schema || !sqlite3_stricmp(schema, "main")) ?
			sql_table_find(table_name) :
			NULL;

	(void)view;
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
