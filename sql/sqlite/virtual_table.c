/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/virtual_table.h"

#include "common/error.h"
#include "decoder/recording/recording.h"
#include "sql/rows/row_out.h"
#include "sql/rows/row_queue.h"
#include "sql/rows/sql_table.h"
#include "sql/scan/table_scan.h"
#include "sql/sqlite/percentile_function.h"
#include "sql/sqlite/query_plan_internal.h"
#include "sql/sqlite/table_schema.h"
#include "sql/tables/sql_tables.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* All rows of a table in memory, for the inner table of a join, which is read
 * repeatedly.
 */
struct row_store {
	struct row_chunk *first;
	bool is_too_large; /* the rows exceed the memory limit */
};

/* A position in a store. With only chunk set and zeros otherwise, it is before
 * the first row.
 */
struct row_place {
	const struct row_chunk *chunk;
	uint32_t next; /* index of the next row */
};

/* A cursor over the rows of one table that a query accepts. */
struct table_cursor {
	const struct sql_recording *recording; /* borrowed */
	enum sql_table_id id;
	struct row_choice choice;
	struct table_scan *scan; /* source of the first query's rows; or NULL */
	struct row_chunk *chunk; /* the current chunk of the scan */
	struct row_store store;
	/* position in the chunk or the store, after the current row */
	struct row_place place;
	uint32_t asked; /* number of queries so far */
	bool is_at_end;
};

/* Returns the index of the current row in its chunk. The cursor must not be at
 * the end.
 */
static inline uint32_t table_cursor_row(const struct table_cursor *cursor)
{
	return cursor->place.next - 1;
}

/* Limits the memory of a store to 300 MB: a chunk takes 150 KB. */
enum { MOST_CHUNKS = 2000 };

static void keep(struct row_chunk ***end, struct row_chunk *chunk)
{
	**end = chunk;
	chunk->next = NULL;
	*end = &chunk->next;
}

static void row_store_free(struct row_store *store)
{
	while (store->first) {
		struct row_chunk *next = store->first->next;

		row_chunk_free(store->first);
		store->first = next;
	}
}

/* Fills @store with all rows of table @id of @recording.
 *
 * Returns 0 or a negative enum error, with @store empty. If the rows exceed the
 * limit, returns 0 with @store empty and is_too_large set.
 */
static int row_store_fill(struct row_store *store,
			  const struct sql_recording *recording,
			  enum sql_table_id id)
{
	const struct row_choice all = ROW_CHOICE_ALL;
	struct table_scan *scan = table_scan_of(recording, id, &all);
	struct row_chunk **end = &store->first;
	struct row_chunk *chunk;
	int count = 0;
	int status;

	if (!scan)
		return -ERROR_MEMORY;
	while (count < MOST_CHUNKS && (chunk = table_scan_next(scan))) {
		keep(&end, chunk);
		count++;
	}
	status = count < MOST_CHUNKS ? table_scan_status(scan) : 0;
	table_scan_stop(scan);
	if (count < MOST_CHUNKS && !status)
		return 0;
	row_store_free(store);
	store->is_too_large = !status;
	return status;
}

/* Advances to the next row that @choice accepts. Returns false after the last.
 */
static bool row_store_next(const struct row_choice *choice,
			   struct row_place *place)
{
	while (place->chunk) {
		while (place->next < place->chunk->count)
			if (row_choice_wants(choice, place->chunk,
					     place->next++))
				return true;
		place->chunk = place->chunk->next;
		place->next = 0;
	}
	return false;
}

static void stop(struct table_cursor *cursor)
{
	row_chunk_free(cursor->chunk);
	cursor->chunk = NULL;
	table_scan_stop(cursor->scan);
	cursor->scan = NULL;
}

static int next_chunk(struct table_cursor *cursor)
{
	if (cursor->chunk)
		table_scan_give_back(cursor->scan, cursor->chunk);
	cursor->chunk = table_scan_next(cursor->scan);
	cursor->place = (struct row_place){ .chunk = cursor->chunk };
	if (cursor->chunk)
		return 0;
	cursor->is_at_end = true;
	return table_scan_status(cursor->scan);
}

/* Moves to the next row or to the end. Returns like table_cursor_ask(). */
static int table_cursor_next(struct table_cursor *cursor)
{
	int status = 0;

	if (!cursor->scan) {
		cursor->is_at_end =
			!row_store_next(&cursor->choice, &cursor->place);
		return 0;
	}
	while (!cursor->is_at_end && !status &&
	       (!cursor->chunk || cursor->place.next >= cursor->chunk->count))
		status = next_chunk(cursor);
	cursor->place.next++;
	return status;
}

static int start(struct table_cursor *cursor)
{
	cursor->scan =
		table_scan_of(cursor->recording, cursor->id, &cursor->choice);
	return cursor->scan ? 0 : -ERROR_MEMORY;
}

/* Returns whether rows may be loaded into memory. Rows of a window of sums
 * cannot be selected from the sums of the whole recording.
 */
static bool can_keep(const struct table_cursor *cursor)
{
	const struct time_window *sums = &cursor->choice.sums;

	return cursor->asked > 1 && !cursor->store.is_too_large &&
	       !sums->since_ns && sums->until_ns == UINT64_MAX;
}

/* Moves to the first row that @choice accepts. The first query decodes its rows
 * on demand; later queries load all rows into memory if they fit.
 *
 * Returns 0 or a negative enum error.
 */
static int table_cursor_ask(struct table_cursor *cursor,
			    const struct row_choice *choice)
{
	int status = 0;

	stop(cursor);
	cursor->choice = *choice;
	cursor->is_at_end = false;
	cursor->asked++;
	if (can_keep(cursor) && !cursor->store.first)
		status = row_store_fill(&cursor->store, cursor->recording,
					cursor->id);
	if (!status && !can_keep(cursor))
		status = start(cursor);
	cursor->place = (struct row_place){ .chunk = cursor->store.first };
	return status ? status : table_cursor_next(cursor);
}

static void table_cursor_close(struct table_cursor *cursor)
{
	stop(cursor);
	row_store_free(&cursor->store);
}

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

/* Registers the function ktrace_open('DIR' [, 'schema']) with @db, which must
 * have the module ktrace. Returns an SQLite result code.
 */
static int open_function_register(sqlite3 *db)
{
	int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
	int status = sqlite3_create_function(db, "ktrace_open", 1, flags, NULL,
					     open_tables, NULL, NULL);

	if (status)
		return status;
	return sqlite3_create_function(db, "ktrace_open", 2, flags, NULL,
				       open_tables, NULL, NULL);
}

/* A table whose rows are made on demand. */
struct virtual_table {
	sqlite3_vtab base;		 /* must be the first member */
	struct recording_opener *opener; /* borrowed */
	const struct sql_recording *recording;
	const struct sql_table *table;
	struct plan_sizes sizes;
};

struct virtual_cursor {
	sqlite3_vtab_cursor base; /* must be the first member */
	struct table_cursor rows;
	sqlite3_int64 rowid;
};

static struct virtual_table *table_of(struct virtual_cursor *cursor)
{
	return (struct virtual_table *)cursor->base.pVtab;
}

static struct plan_sizes sizes_of(const struct sql_recording *recording)
{
	const struct recording *data = recording->input.recording;
	const struct recording_info *info = recording_info(data);
	struct plan_sizes sizes = { 0, info->first_time_ns,
				    info->last_time_ns };

	for (size_t i = 0; i < recording_stream_count(data); i++)
		sizes.trace_bytes += recording_stream(data, i)->size_bytes;
	return sizes;
}

static int disconnect(sqlite3_vtab *base)
{
	struct virtual_table *table = (struct virtual_table *)base;

	if (table->recording)
		table->opener->close(table->opener, table->recording);
	free(table);
	return SQLITE_OK;
}

/* Returns an argument of CREATE VIRTUAL TABLE without the quotes with which
 * SQLite passes it, unescaped. The caller frees it with sqlite3_free(); NULL
 * when out of memory.
 */
static char *unquoted(const char *argument)
{
	size_t length = strlen(argument);
	bool is_quoted = length > 1 &&
			 (*argument == '\'' || *argument == '"') &&
			 argument[length - 1] == *argument;
	char *text = sqlite3_mprintf("%s", argument + is_quoted);
	char *to = text;

	if (!text || !is_quoted)
		return text;
	text[length - 2] = '\0';
	for (const char *from = text; *from; from++) {
		*to++ = *from;
		if (from[0] == *argument && from[1] == *argument)
			from++;
	}
	*to = '\0';
	return text;
}

static int find_table(struct virtual_table *table, const char *argument,
		      char **message)
{
	char *name = unquoted(argument);

	if (!name)
		return SQLITE_NOMEM;
	table->table = sql_table_find(name);
	if (!table->table)
		*message = sqlite3_mprintf("no table '%s' in recordings", name);
	sqlite3_free(name);
	return table->table ? SQLITE_OK : SQLITE_ERROR;
}

static int open_recording(struct virtual_table *table, const char *argument,
			  char **message)
{
	char *path = unquoted(argument);

	if (!path)
		return SQLITE_NOMEM;
	table->recording = table->opener->open(table->opener, path, message);
	sqlite3_free(path);
	if (!table->recording)
		return SQLITE_ERROR;
	table->sizes = sizes_of(table->recording);
	return SQLITE_OK;
}

static int declare(sqlite3 *db, const struct virtual_table *table)
{
	char *text = table_schema_text(table->table, true);
	int status = text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;

	sqlite3_free(text);
	return status;
}

/* Arguments 0 to 2 are the module, the database and the name of the table. */
static int connect_table(sqlite3 *db, void *ctx, int argc,
			 const char *const *argv, sqlite3_vtab **vtab,
			 char **message)
{
	struct virtual_table *table;
	int status;

	if (argc != 5) {
		*message = sqlite3_mprintf("use ktrace('DIR', 'table')");
		return SQLITE_ERROR;
	}
	table = calloc(1, sizeof(*table));
	if (!table)
		return SQLITE_NOMEM;
	table->opener = ctx;
	status = find_table(table, argv[4], message);
	if (!status)
		status = open_recording(table, argv[3], message);
	if (!status)
		status = declare(db, table);
	*vtab = &table->base;
	if (status) {
		disconnect(&table->base);
		*vtab = NULL;
	}
	return status;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct virtual_table *table = (struct virtual_table *)base;

	return query_plan_make(table->table, &table->sizes, info);
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **made)
{
	const struct virtual_table *table = (struct virtual_table *)base;
	struct virtual_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	cursor->rows.recording = table->recording;
	cursor->rows.id = table->table->id;
	*made = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct virtual_cursor *cursor = (struct virtual_cursor *)base;

	table_cursor_close(&cursor->rows);
	free(cursor);
	return SQLITE_OK;
}

/* Converts @status to an SQLite result code, and sets the table's error message
 * for errors except lack of memory.
 */
static int result(struct virtual_table *table, int status)
{
	if (!status)
		return SQLITE_OK;
	if (status == -ERROR_MEMORY)
		return SQLITE_NOMEM;
	sqlite3_free(table->base.zErrMsg);
	table->base.zErrMsg = sqlite3_mprintf(
		"%s: %s: %s", recording_path(table->recording->input.recording),
		table->table->name, error_text(status));
	return SQLITE_ERROR;
}

static int refuse_untimed(struct virtual_table *table)
{
	sqlite3_free(table->base.zErrMsg);
	table->base.zErrMsg = sqlite3_mprintf(
		"%s: %s: the trace has no timestamps to correlate the kernel's "
		"events with",
		recording_path(table->recording->input.recording),
		table->table->name);
	return SQLITE_ERROR;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan,
		  int argc, sqlite3_value **argv)
{
	struct virtual_cursor *cursor = (struct virtual_cursor *)base;
	struct virtual_table *table = table_of(cursor);
	struct row_choice choice = ROW_CHOICE_ALL;

	(void)number;
	if (!table_scan_can(table->recording, table->table->id))
		return refuse_untimed(table);
	constraints_apply(table->table, plan, argv, argc, &choice);
	cursor->rowid = 1;
	return result(table, table_cursor_ask(&cursor->rows, &choice));
}

static int next_row(sqlite3_vtab_cursor *base)
{
	struct virtual_cursor *cursor = (struct virtual_cursor *)base;

	cursor->rowid++;
	return result(table_of(cursor), table_cursor_next(&cursor->rows));
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct virtual_cursor *)base)->rows.is_at_end;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context,
		  int index)
{
	const struct table_cursor *rows =
		&((struct virtual_cursor *)base)->rows;

	cell_result(context, rows->place.chunk, table_cursor_row(rows),
		    (uint32_t)index, SQLITE_TRANSIENT);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *number)
{
	*number = ((struct virtual_cursor *)base)->rowid;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xCreate = connect_table,
	.xConnect = connect_table,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xDestroy = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next_row,
	.xEof = is_at_end,
	.xColumn = column,
	.xRowid = rowid,
};

static void free_opener(void *ctx)
{
	struct recording_opener *opener = ctx;

	opener->free(opener);
}

int virtual_tables_register(sqlite3 *db, struct recording_opener *opener)
{
	int status = sqlite3_create_module_v2(db, "ktrace", &module, opener,
					      free_opener);

	if (!status)
		status = open_function_register(db);
	return status ? status : percentile_function_register(db, NULL);
}
