/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_store.h"

#include "common/error.h"
#include "common/log.h"
#include "store/answer/answer.h"
#include "store/clickhouse/clickhouse_ddl.h"
#include "store/clickhouse/clickhouse_http_internal.h"
#include "store/clickhouse/clickhouse_query_internal.h"
#include "store/clickhouse/clickhouse_upload_internal.h"
#include "store/entry/store_entry.h"
#include "store/target/store_target.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A store in a ClickHouse server: the operations of struct store_target_class
 * (store/target/store_target.h), over HTTP.
 *
 * The table "upload" has a row with state 0 for each upload that started, and
 * one with state 1 for each whose rows were removed. An upload without a row in
 * recording_all is unfinished; prepare() removes its rows once it can have no
 * sender any more.
 */

/* An upload that started more than LONGEST_UPLOAD_S ago counts as ended. A
 * server may still process a request whose sender has died: for
 * LONGEST_REQUEST_S after the start of an ended upload, its rows are searched
 * again.
 */
enum { LONGEST_UPLOAD_S = 86400, LONGEST_REQUEST_S = 3600 };

/* Unfinished uploads, and recordings that exist twice. */
static const char left_overs_query[] =
	"SELECT recording, host, pid, at_s, 0 AS is_double FROM upload "
	"WHERE state = 0 AND recording GLOBAL NOT IN (SELECT recording FROM "
	"recording_all) AND recording GLOBAL NOT IN (SELECT recording FROM "
	"upload WHERE state = 1) "
	"UNION ALL SELECT recording, '' AS host, toInt64(0) AS pid, "
	"toInt64(0) AS at_s, 1 AS is_double FROM recording_all "
	"WHERE recording GLOBAL NOT IN (SELECT recording FROM recording)";

enum { COLUMN_RECORDING, COLUMN_HOST, COLUMN_PID, COLUMN_AT, COLUMN_DOUBLE };

static bool has_ended(const struct answer *uploads, size_t row)
{
	char host[STORE_HOST_TEXT] = "";
	pid_t pid = (pid_t)answer_number(uploads, row, COLUMN_PID);

	if (answer_number(uploads, row, COLUMN_DOUBLE) ||
	    answer_number(uploads, row, COLUMN_AT) + LONGEST_UPLOAD_S <
		    time(NULL))
		return true;
	gethostname(host, sizeof(host) - 1);
	return !strcmp(host, answer_text(uploads, row, COLUMN_HOST)) &&
	       kill(pid, 0) < 0 && errno == ESRCH;
}

/* Returns the numbers of the @uploads that have ended, as "1,2,3"; NULL if
 * there are none. The caller frees it with sqlite3_free().
 */
static char *list_ended(const struct answer *uploads)
{
	sqlite3_str *list = sqlite3_str_new(NULL);

	for (size_t i = 0; i < answer_rows(uploads); i++)
		if (has_ended(uploads, i))
			sqlite3_str_appendf(
				list, "%s%lld",
				sqlite3_str_length(list) ? "," : "",
				(long long)answer_number(uploads, i,
							 COLUMN_RECORDING));
	return sqlite3_str_finish(list);
}

/* Removes the rows from one table if it has any, because each removal costs the
 * server work.
 */
static int remove_from(struct clickhouse_http *http, const struct log *log,
		       const char *table, const char *cluster, const char *list)
{
	int64_t rows;
	int error = clickhouse_select_number(
		http, log,
		sqlite3_mprintf("SELECT count() FROM %s WHERE recording IN "
				"(%s)",
				table, list),
		&rows);

	if (error || !rows)
		return error;
	return clickhouse_do(
		http, *cluster ?
			      sqlite3_mprintf("ALTER TABLE %s_local ON CLUSTER "
					      "'%s' DELETE WHERE recording IN "
					      "(%s)",
					      table, cluster, list) :
			      sqlite3_mprintf("ALTER TABLE %s DELETE WHERE "
					      "recording IN (%s)",
					      table, list));
}

/* Removes the rows of the uploads in @list from all tables. Marks those that
 * can no longer receive rows as removed, so that they are not searched again.
 */
static int remove_listed(struct clickhouse_http *http, const struct log *log,
			 const char *cluster, const char *list)
{
	long long now_s = (long long)time(NULL);
	int error = remove_from(http, log, "label", cluster, list);

	for (int i = 0; !error && i < SQL_TABLES; i++)
		error = remove_from(
			http, log,
			clickhouse_schema_table((enum sql_table_id)i), cluster,
			list);
	if (error)
		return error;
	return clickhouse_do(
		http, sqlite3_mprintf("INSERT INTO upload SELECT recording, "
				      "1, id, host, pid, %lld FROM upload "
				      "WHERE state = 0 AND recording IN (%s) "
				      "AND at_s < %lld",
				      now_s, list, now_s - LONGEST_REQUEST_S));
}

/* Removes the rows of the uploads in @list. Leftovers only cost disk space, so
 * a failed removal is a warning and no error.
 */
static int remove_all(struct clickhouse_http *http, const struct log *log,
		      const char *list)
{
	struct answer answer;
	int error = answer_open(&answer);

	if (!error)
		error = clickhouse_select(
			http, log, "SELECT any(cluster) FROM store_version",
			&answer);
	if (!error && answer_rows(&answer) &&
	    remove_listed(http, log, answer_text(&answer, 0, 0), list))
		log_message(log, LOG_WARNING, clickhouse_http_name(http),
			    LOG_NO_OFFSET,
			    "left-over rows of uploads are not removed: "
			    "queries ignore them, but they take space");
	answer_free(&answer);
	return error;
}

/* Removes the rows of unfinished uploads (their process on this host is gone,
 * or they started more than a day ago) and duplicate rows of two simultaneous
 * uploads of one recording. Readers see none of these rows anyway. The server
 * removes them asynchronously and only those that exist now; rows of a request
 * that is still being processed are removed by a later call. Does nothing while
 * the server runs an earlier removal.
 *
 * Returns 0, even if the server refuses the removal, which is logged to @log;
 * or returns like the functions of clickhouse_http_internal.h.
 */
static int left_overs_remove(struct clickhouse_http *http,
			     const struct log *log)
{
	struct answer uploads;
	char *list = NULL;
	int64_t removals = 0;
	int error = answer_open(&uploads);

	if (!error)
		error = clickhouse_select(http, log, left_overs_query,
					  &uploads);
	if (!error)
		list = list_ended(&uploads);
	if (list)
		error = clickhouse_select_number(
			http, log,
			sqlite3_mprintf(
				"SELECT count() FROM system.mutations WHERE "
				"database = currentDatabase() AND NOT is_done"),
			&removals);
	if (list && !error && !removals)
		error = remove_all(http, log, list);
	sqlite3_free(list);
	answer_free(&uploads);
	return error;
}

struct clickhouse_store {
	struct store_target target; /* must be the first member */
	struct clickhouse_http *http;
	struct clickhouse_upload upload;
};

static struct clickhouse_store *store_of(struct store_target *target)
{
	return (struct clickhouse_store *)target;
}

bool clickhouse_store_is(const char *name)
{
	return clickhouse_url_is(name);
}

static int has_table(const struct clickhouse_store *store, const char *name,
		     int64_t *is_there)
{
	return clickhouse_select_number(
		store->http, store->target.log,
		sqlite3_mprintf("SELECT count() FROM system.tables "
				"WHERE database = currentDatabase() "
				"AND name = '%s'",
				name),
		is_there);
}

/* Fails if the database has other tables with the names of a store's tables. */
static int check_is_free(const struct clickhouse_store *store)
{
	for (int i = 0; i < SQL_TABLES; i++) {
		const char *name =
			clickhouse_schema_table((enum sql_table_id)i);
		int64_t is_there;
		int error = has_table(store, name, &is_there);

		if (error)
			return error;
		if (!is_there)
			continue;
		log_message(store->target.log, LOG_ERROR, store->target.name,
			    LOG_NO_OFFSET,
			    "has a table %s, but is not a store: name another "
			    "database, or run all statements of 'ktrace-hw "
			    "store ddl'",
			    name);
		return -ERROR_UNSUPPORTED;
	}
	return 0;
}

static int make(const struct clickhouse_store *store)
{
	char *all = clickhouse_ddl_server();
	const char *text = all;
	char *statement = NULL;
	int error = all ? check_is_free(store) : -ERROR_MEMORY;

	while (!error && (statement = clickhouse_ddl_next(&text)))
		error = clickhouse_do(store->http, statement);
	if (!error && *text)
		error = -ERROR_MEMORY;
	free(all);
	return error;
}

static int check_version(const struct clickhouse_store *store)
{
	int64_t version;
	int error = clickhouse_select_number(
		store->http, store->target.log,
		sqlite3_mprintf("SELECT max(version) FROM store_version"),
		&version);

	return error ? error :
		       store_target_check_version(&store->target, version);
}

static int prepare(struct store_target *target)
{
	struct clickhouse_store *store = store_of(target);
	int64_t is_there;
	int error = has_table(store, "store_version", &is_there);

	if (!error && !is_there)
		error = make(store);
	if (!error)
		error = check_version(store);
	return error ? error : left_overs_remove(store->http, target->log);
}

static int begin(struct store_target *target, struct store_entry *entry,
		 bool *is_there)
{
	return clickhouse_upload_begin(&store_of(target)->upload, entry,
				       is_there);
}

static int add(struct store_target *target, const struct row_chunk *chunk)
{
	return clickhouse_upload_add(&store_of(target)->upload, chunk);
}

static void end(struct store_target *target)
{
	clickhouse_upload_close(&store_of(target)->upload);
}

static int finish(struct store_target *target, const struct store_entry *entry,
		  const struct row_chunk *row)
{
	return clickhouse_upload_finish(&store_of(target)->upload, entry, row);
}

static int check(struct store_target *target)
{
	const struct clickhouse_store *store = store_of(target);
	int64_t is_there;
	int error = has_table(store, "store_version", &is_there);

	if (error)
		return error;
	if (is_there)
		return check_version(store);
	log_message(target->log, LOG_ERROR, target->name, LOG_NO_OFFSET,
		    "is not a store: 'ktrace-hw store add' makes it one");
	return -ERROR_NOT_FOUND;
}

static int ask(struct store_target *target, const char *query,
	       struct answer *answer)
{
	char *text = clickhouse_query_of(query);
	int error = text ? clickhouse_select(store_of(target)->http,
					     target->log, text, answer) :
			   -ERROR_MEMORY;

	sqlite3_free(text);
	return error;
}

static void close_store(struct store_target *target)
{
	struct clickhouse_store *store = store_of(target);

	clickhouse_upload_close(&store->upload);
	clickhouse_http_free(store->http);
	free(store);
}

static const struct store_target_class clickhouse_class = {
	.has_backslashes = true,
	.in = "GLOBAL IN",
	.prepare = prepare,
	.begin = begin,
	.add = add,
	.finish = finish,
	.end = end,
	.check = check,
	.query = ask,
	.close = close_store,
};

struct store_target *clickhouse_store_open(const char *name,
					   const struct log *log)
{
	struct clickhouse_store *store = calloc(1, sizeof(*store));

	if (!store) {
		log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "out of memory");
		return NULL;
	}
	store->http = clickhouse_http_new(name, log);
	if (!store->http) {
		free(store);
		return NULL;
	}
	store->target =
		(struct store_target){ &clickhouse_class,
				       clickhouse_http_name(store->http), log };
	store->upload.http = store->http;
	store->upload.sender.http = store->http;
	store->upload.log = log;
	return &store->target;
}
