/* SPDX-License-Identifier: MIT */
#include "store/sqlite/sqlite_store.h"

#include "common/error.h"
#include "common/log.h"
#include "sql/sqlite/percentile_function.h"
#include "sql/sqlite/sqlite_reason.h"
#include "store/answer/answer.h"
#include "store/sqlite/sqlite_schema.h"
#include "store/sqlite/sqlite_upload.h"
#include "store/target/store_target.h"

#include <stdlib.h>

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

/* Two processes that find an empty file create the store one after the other.
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

	return sqlite_upload_add(&store->upload, chunk) ?
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

static int take_cell(struct answer *answer, sqlite3_stmt *statement, int column)
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

static int take_rows(const struct sqlite_store *store, sqlite3_stmt *statement,
		     struct answer *answer)
{
	int columns = sqlite3_column_count(statement);
	int error = 0;
	int status = SQLITE_DONE;

	for (int i = 0; !error && i < columns; i++)
		error = answer_add_column(answer,
					  sqlite3_column_name(statement, i));
	while (!error && (status = sqlite3_step(statement)) == SQLITE_ROW)
		for (int i = 0; !error && i < columns; i++)
			error = take_cell(answer, statement, i);
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
	error = statement ? take_rows(store, statement, answer) : 0;
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
	.ask = ask,
	.close = close_store,
};

/* The page size applies to a new file. The cache bounds memory regardless of an
 * upload's size.
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

struct store_target *sqlite_store_open(const char *path,
				       enum sqlite_store_mode mode,
				       const struct log *log)
{
	int flags = SQLITE_OPEN_NOMUTEX |
		    (mode == SQLITE_STORE_READ ?
			     SQLITE_OPEN_READONLY :
			     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	struct sqlite_store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->target = (struct store_target){ &sqlite_class, path, log };
	if (sqlite3_open_v2(path, &store->db, flags, NULL) || set_up(store)) {
		say(store, "cannot be opened");
		close_store(&store->target);
		return NULL;
	}
	store->upload.db = store->db;
	return &store->target;
}
