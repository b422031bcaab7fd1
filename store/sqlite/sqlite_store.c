/* SPDX-License-Identifier: MIT */
#include "store/sqlite/sqlite_store.h"

#include "common/error.h"
#include "common/files/regular_file.h"
#include "common/log.h"
#include "sql/rows/sql_table.h"
#include "sql/sqlite/percentile_function.h"
#include "sql/sqlite/sqlite_reason.h"
#include "sql/sqlite/table_insert.h"
#include "sql/tables/sql_tables.h"
#include "store/answer/answer.h"
#include "store/entry/store_entry.h"
#include "store/target/store_target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The application ID in the file's header
 * (https://www.sqlite.org/fileformat.html, offset 68), "ktfl": the file is a
 * store and not an exported recording.
 */
enum { SQLITE_STORE_APPLICATION = 0x6b74666c };

/* An upload into an SQLite store: one transaction. Functions return SQLite
 * result codes.
 */
struct sqlite_upload {
	sqlite3 *db; /* borrowed */
	struct table_insert inserts[SQL_TABLES];
};

static const char *type_name(enum column_type type)
{
	switch (type) {
	case COLUMN_INTEGER:
		return "INTEGER";
	case COLUMN_REAL:
		return "REAL";
	case COLUMN_TEXT:
		break;
	}
	return "TEXT";
}

static void append_columns(sqlite3_str *text, const struct sql_table *table)
{
	for (uint32_t i = 0; i < table->column_count; i++)
		if (!column_is_hidden(&table->columns[i]))
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

/* Creates the tables of a store in @db, which must be empty. Returns an SQLite
 * result code.
 */
static int sqlite_schema_make(sqlite3 *db)
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

/* Appends the columns' names, because an older or newer file may have them in
 * another order.
 */
static void append_names(sqlite3_str *text, const struct sql_table *table)
{
	for (uint32_t i = 0; i < table->column_count; i++)
		if (!column_is_hidden(&table->columns[i]))
			sqlite3_str_appendf(text, ", \"%w\"",
					    table->columns[i].name);
}

/* Returns the INSERT for rows of table @id of recording @number, which reads
 * them from chunk_NAME (sql/sqlite/table_insert.h); NULL when out of memory.
 * The caller frees it with sqlite3_free().
 */
static char *sqlite_schema_insert(enum sql_table_id id, int64_t number)
{
	const struct sql_table *table = sql_table_at(id);
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendf(text, "INSERT INTO \"%w\"(recording", table->name);
	append_names(text, table);
	sqlite3_str_appendf(text, ") SELECT %lld, * FROM \"chunk_%w\"",
			    (long long)number, table->name);
	return sqlite3_str_finish(text);
}

/* Like sqlite_schema_insert(), for the table "recording". Parameters ?1, ?2 …
 * are the columns of the entry (store_entry_columns).
 */
static char *sqlite_schema_insert_entry(void)
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

/* Ends the upload and rolls it back unless it was finished. */
static void sqlite_upload_close(struct sqlite_upload *upload)
{
	for (int i = 0; i < SQL_TABLES; i++)
		table_insert_close(&upload->inserts[i]);
	if (!sqlite3_get_autocommit(upload->db))
		sqlite3_exec(upload->db, "ROLLBACK", NULL, NULL, NULL);
}

/* Begins the transaction and sets @entry's number. If the store already has the
 * recording, sets *@is_there and rolls the transaction back. After an error the
 * caller must close the upload.
 */
static int sqlite_upload_begin(struct sqlite_upload *upload,
			       struct store_entry *entry, bool *is_there)
{
	int64_t number = 0;
	int status =
		sqlite3_exec(upload->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);

	if (!status)
		status = ask_number(
			upload->db,
			sqlite3_mprintf(
				"SELECT recording FROM recording WHERE id = %Q",
				entry->id),
			0, &number);
	*is_there = number;
	if (status || number) {
		sqlite_upload_close(upload);
		return status;
	}
	status = choose_number(upload->db, entry);
	return status ? status : prepare_inserts(upload, entry);
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
		if (store_entry_columns[i].type == COLUMN_TEXT)
			sqlite3_bind_text(statement, i + 1, cells[i].text, -1,
					  SQLITE_STATIC);
		else
			sqlite3_bind_int64(statement, i + 1, cells[i].number);
}

static int sqlite_upload_finish(struct sqlite_upload *upload,
				const struct store_entry *entry,
				const struct row_chunk *row)
{
	char tables[STORE_TABLES_TEXT];
	union sql_cell cells[ENTRY_COLUMNS];
	int status = insert_labels(upload->db, entry);

	store_entry_cells(entry, tables, cells);
	bind_entry(upload->inserts[TABLE_RECORDING].statement, cells);
	if (!status)
		status = table_insert_rows(&upload->inserts[row->table->id],
					   row);
	return status ? status :
			sqlite3_exec(upload->db, "COMMIT", NULL, NULL, NULL);
}

/* The time that an upload waits for other uploads. */
enum { MOST_WAIT_MS = 3600 * 1000 };

struct sqlite_store {
	struct store_target target; /* must be the first member */
	sqlite3 *db;
	struct sqlite_upload upload;
};

static struct sqlite_store *store_of(struct store_target *target)
{
	return (struct sqlite_store *)target;
}

static int say(const struct sqlite_store *store, const char *what)
{
	log_message(store->target.log, LOG_ERROR, store->target.name,
		    LOG_NO_OFFSET, "%s: %s", what,
		    store->db ? sqlite_reason(store->db) :
				sqlite3_errstr(SQLITE_NOMEM));
	return -ERROR_SYSTEM;
}

/* Sets *@number to the result of a pragma or a count. Returns 0 or the error of
 * say().
 */
static int read_number(const struct sqlite_store *store, const char *query,
		       int64_t *number)
{
	sqlite3_stmt *statement = NULL;
	bool is_read =
		!sqlite3_prepare_v2(store->db, query, -1, &statement, NULL) &&
		sqlite3_step(statement) == SQLITE_ROW;

	*number = is_read ? sqlite3_column_int64(statement, 0) : 0;
	sqlite3_finalize(statement);
	return is_read ? 0 : say(store, "cannot be read");
}

static int check(struct store_target *target)
{
	const struct sqlite_store *store = store_of(target);
	int64_t application;
	int64_t version;
	int error = read_number(store, "PRAGMA application_id", &application);

	if (!error)
		error = read_number(store, "PRAGMA user_version", &version);
	if (error)
		return error;
	if (application == SQLITE_STORE_APPLICATION)
		return store_target_check_version(target, version);
	log_message(target->log, LOG_ERROR, target->name, LOG_NO_OFFSET,
		    "is a database, but not a store: name another file");
	return -ERROR_UNSUPPORTED;
}

/* Creates the tables of an empty file. A second process that finds the file
 * empty at the same time waits, and then finds the tables.
 */
static int prepare(struct store_target *target)
{
	const struct sqlite_store *store = store_of(target);
	int64_t tables;
	int error;

	if (sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL))
		return say(store, "cannot be written");
	error = read_number(store, "SELECT count(*) FROM sqlite_master",
			    &tables);
	if (!error && tables)
		error = check(target);
	else if (!error && sqlite_schema_make(store->db))
		error = say(store, "cannot be made a store");
	if (!error && sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL))
		error = say(store, "cannot be written");
	if (error && !sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	return error;
}

static int begin(struct store_target *target, struct store_entry *entry,
		 bool *is_there)
{
	struct sqlite_store *store = store_of(target);

	return sqlite_upload_begin(&store->upload, entry, is_there) ?
		       say(store, "no upload begun") :
		       0;
}

static int add(struct store_target *target, const struct row_chunk *chunk)
{
	struct sqlite_store *store = store_of(target);

	return table_insert_rows(&store->upload.inserts[chunk->table->id],
				 chunk) ?
		       say(store, "rows not written") :
		       0;
}

static int finish(struct store_target *target, const struct store_entry *entry,
		  const struct row_chunk *row)
{
	struct sqlite_store *store = store_of(target);

	return sqlite_upload_finish(&store->upload, entry, row) ?
		       say(store, "rows not written") :
		       0;
}

static void end(struct store_target *target)
{
	sqlite_upload_close(&store_of(target)->upload);
}

static int consume_cell(struct answer *answer, sqlite3_stmt *statement,
			int column)
{
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL:
		return answer_add_null(answer);
	case SQLITE_INTEGER:
		return answer_add_number(answer, sqlite3_column_int64(statement,
								      column));
	case SQLITE_FLOAT:
		return answer_add_real(answer, sqlite3_column_double(statement,
								     column));
	default:
		return answer_add_text(
			answer,
			(const char *)sqlite3_column_text(statement, column));
	}
}

static int consume_rows(const struct sqlite_store *store,
			sqlite3_stmt *statement, struct answer *answer)
{
	int columns = sqlite3_column_count(statement);
	int error = 0;
	int status = SQLITE_DONE;

	for (int i = 0; !error && i < columns; i++)
		error = answer_add_column(answer,
					  sqlite3_column_name(statement, i));
	while (!error && (status = sqlite3_step(statement)) == SQLITE_ROW)
		for (int i = 0; !error && i < columns; i++)
			error = consume_cell(answer, statement, i);
	if (!error && status != SQLITE_DONE)
		error = say(store, "not answered");
	return error;
}

static int ask(struct store_target *target, const char *query,
	       struct answer *answer)
{
	const struct sqlite_store *store = store_of(target);
	sqlite3_stmt *statement = NULL;
	int error;

	if (sqlite3_prepare_v2(store->db, query, -1, &statement, NULL))
		return say(store, "not answered");
	error = statement ? consume_rows(store, statement, answer) : 0;
	sqlite3_finalize(statement);
	return error;
}

static void close_store(struct store_target *target)
{
	struct sqlite_store *store = store_of(target);

	sqlite3_close(store->db);
	free(store);
}

static const struct store_target_class sqlite_class = {
	.in = "IN",
	.prepare = prepare,
	.begin = begin,
	.add = add,
	.finish = finish,
	.end = end,
	.check = check,
	.query = ask,
	.close = close_store,
};

/* Sets the page size, which applies to a new file, and the cache, which bounds
 * memory regardless of an upload's size.
 */
static int set_up(const struct sqlite_store *store)
{
	sqlite3_busy_timeout(store->db, MOST_WAIT_MS);
	if (percentile_function_register(store->db, store->target.log))
		return -1;
	return sqlite3_exec(store->db,
			    "PRAGMA page_size = 32768;"
			    "PRAGMA cache_size = -32768;",
			    NULL, NULL, NULL);
}

/* Writes the real path of the existing file @path to @real, else @path itself.
 * Returns 0, or -1 with errno if another user made a link on the way.
 */
static int find_file(const char *path, char real[static PATH_MAX])
{
	int file = trusted_path_open(AT_FDCWD, path);
	char name[32];
	ssize_t length = -1;

	if (file < 0 && errno == EPERM)
		return -1;
	if (file >= 0) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
		length = readlink(name, real, PATH_MAX - 1);
		close(file);
	}
	if (length >= 0)
		real[length] = '\0';
	else
		snprintf(real, PATH_MAX, "%s", path);
	return 0;
}

static bool others_write(int folder)
{
	struct stat stat;

	return !fstat(folder, &stat) &&
	       (stat.st_mode & S_IWOTH || (!geteuid() && stat.st_uid));
}

/* Returns why the store @path must not be written to, or NULL. If the folder
 * cannot be read, SQLite reports that.
 */
static const char *refusal(const char *path)
{
	char real[PATH_MAX];
	char *name = NULL;
	int folder = find_file(path, real) ? -1 :
					     trusted_path_parent(real, &name);
	const char *reason = NULL;

	if (folder < 0 && errno == EPERM)
		reason = "another user made a link in its path: name the file "
			 "that it leads to";
	else if (folder >= 0 && others_write(folder))
		reason = "is in a directory in which other users can place "
			 "files: choose a store in a directory of yours";
	if (folder >= 0)
		close(folder);
	free(name);
	return reason;
}

struct store_target *sqlite_store_open(const char *path,
				       enum sqlite_store_mode mode,
				       const struct log *log)
{
	int flags = SQLITE_OPEN_NOMUTEX |
		    (mode == SQLITE_STORE_READ ?
			     SQLITE_OPEN_READONLY :
			     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	const char *reason = mode == SQLITE_STORE_WRITE ? refusal(path) : NULL;
	struct sqlite_store *store;

	if (reason) {
		log_message(log, LOG_ERROR, path, LOG_NO_OFFSET, "%s", reason);
		return NULL;
	}
	store = calloc(1, sizeof(*store));
	if (!store) {
		log_message(log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "out of memory");
		return NULL;
	}
	store->target = (struct store_target){ &sqlite_class, path, log };
	if (sqlite3_open_v2(path, &store->db, flags, NULL) || set_up(store)) {
		say(store, "cannot be opened");
		close_store(&store->target);
		return NULL;
	}
	store->upload.db = store->db;
	return &store->target;
}
