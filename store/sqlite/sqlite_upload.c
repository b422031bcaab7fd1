/* SPDX-License-Identifier: MIT */
#include "store/sqlite/sqlite_upload.h"

#include "sql/tables/sql_tables.h"
#include "store/sqlite/sqlite_schema.h"

/* Sets *@number to the value in the only row of @query, or to @fallback without
 * a row. Frees @query.
 */
static int ask_number(sqlite3 *db, char *query, int64_t fallback,
		      int64_t *number)
{
	sqlite3_stmt *statement = NULL;
	int status =
		query ? sqlite3_prepare_v2(db, query, -1, &statement, NULL) :
			SQLITE_NOMEM;

	*number = fallback;
	if (!status) {
		status = sqlite3_step(statement);
		if (status == SQLITE_ROW)
			*number = sqlite3_column_int64(statement, 0);
		if (status == SQLITE_ROW || status == SQLITE_DONE)
			status = SQLITE_OK;
	}
	sqlite3_finalize(statement);
	sqlite3_free(query);
	return status;
}

static int find(sqlite3 *db, const char *id, int64_t *number)
{
	return ask_number(
		db,
		sqlite3_mprintf("SELECT recording FROM recording WHERE id = %Q",
				id),
		0, number);
}

static int choose_number(sqlite3 *db, struct store_entry *entry)
{
	return ask_number(db,
			  sqlite3_mprintf(
				  "SELECT coalesce(max(recording), 0) + 1 "
				  "FROM recording"),
			  1, &entry->number);
}

/* Prepares @query and frees it. */
static int prepare_insert(struct sqlite_upload *upload, enum sql_table_id id,
			  char *query)
{
	int status = query ? table_insert_prepare(&upload->inserts[id],
						  upload->db, sql_table_at(id),
						  query) :
			     SQLITE_NOMEM;

	sqlite3_free(query);
	return status;
}

static int prepare_inserts(struct sqlite_upload *upload,
			   const struct store_entry *entry)
{
	int status = prepare_insert(upload, TABLE_RECORDING,
				    sqlite_schema_insert_entry());

	for (int i = 0; !status && i < SQL_TABLES; i++)
		if (i != TABLE_RECORDING && entry->wanted[i])
			status = prepare_insert(
				upload, (enum sql_table_id)i,
				sqlite_schema_insert((enum sql_table_id)i,
						     entry->number));
	return status;
}

int sqlite_upload_begin(struct sqlite_upload *upload, struct store_entry *entry,
			bool *is_there)
{
	int64_t number = 0;
	int status =
		sqlite3_exec(upload->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);

	if (!status)
		status = find(upload->db, entry->id, &number);
	*is_there = number;
	if (status || number) {
		sqlite_upload_close(upload);
		return status;
	}
	status = choose_number(upload->db, entry);
	return status ? status : prepare_inserts(upload, entry);
}

int sqlite_upload_add(struct sqlite_upload *upload,
		      const struct row_chunk *chunk)
{
	return table_insert_rows(&upload->inserts[chunk->table->id], chunk);
}

static int insert_labels(sqlite3 *db, const struct store_entry *entry)
{
	sqlite3_stmt *statement = NULL;
	int status = sqlite3_prepare_v2(db, "INSERT INTO label VALUES(?, ?, ?)",
					-1, &statement, NULL);

	for (size_t i = 0; !status && i < entry->labels->count; i++) {
		const struct store_label *label = array_at(entry->labels, i);

		sqlite3_bind_int64(statement, 1, entry->number);
		sqlite3_bind_text(statement, 2, label->name, -1, SQLITE_STATIC);
		sqlite3_bind_text(statement, 3, label->value, -1,
				  SQLITE_STATIC);
		sqlite3_step(statement);
		status = sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	return status;
}

static void bind_entry(sqlite3_stmt *statement, const union sql_cell *cells)
{
	for (int i = 0; i < ENTRY_COLUMNS; i++)
		if (store_entry_columns[i].type == SQL_TEXT)
			sqlite3_bind_text(statement, i + 1, cells[i].text, -1,
					  SQLITE_STATIC);
		else
			sqlite3_bind_int64(statement, i + 1, cells[i].number);
}

int sqlite_upload_finish(struct sqlite_upload *upload,
			 const struct store_entry *entry,
			 const struct row_chunk *row)
{
	char tables[STORE_TABLES_TEXT];
	union sql_cell cells[ENTRY_COLUMNS];
	int status = insert_labels(upload->db, entry);

	store_entry_cells(entry, tables, cells);
	bind_entry(upload->inserts[TABLE_RECORDING].statement, cells);
	if (!status)
		status = sqlite_upload_add(upload, row);
	return status ? status :
			sqlite3_exec(upload->db, "COMMIT", NULL, NULL, NULL);
}

void sqlite_upload_close(struct sqlite_upload *upload)
{
	for (int i = 0; i < SQL_TABLES; i++)
		table_insert_close(&upload->inserts[i]);
	if (!sqlite3_get_autocommit(upload->db))
		sqlite3_exec(upload->db, "ROLLBACK", NULL, NULL, NULL);
}
