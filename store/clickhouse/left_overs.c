/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/left_overs.h"

#include "common/error.h"
#include "common/log.h"
#include "store/answer/answer.h"
#include "store/clickhouse/clickhouse_ask.h"
#include "store/clickhouse/clickhouse_http.h"
#include "store/clickhouse/clickhouse_schema.h"
#include "store/entry/store_entry.h"

#include <sqlite3.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A server may still process a request whose sender has died; for this long its
 * rows are searched again.
 */
enum { LONGEST_UPLOAD_S = 86400, LONGEST_REQUEST_S = 3600 };

/* Unfinished uploads, and recordings that exist twice. */
static const char query[] =
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

/* Returns "1,2,3", or NULL if there are none. The caller frees it with
 * sqlite3_free().
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
	int error = clickhouse_ask_number(
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

/* Uploads that can no longer receive rows need no further search. */
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

/* Pending removals of the server would be counted again. */
static int is_removing(struct clickhouse_http *http, const struct log *log,
		       int64_t *count)
{
	return clickhouse_ask_number(
		http, log,
		sqlite3_mprintf("SELECT count() FROM system.mutations WHERE "
				"database = currentDatabase() AND NOT is_done"),
		count);
}

/* Leftovers only cost disk space, so a failed removal does not fail the upload.
 */
static int remove_all(struct clickhouse_http *http, const struct log *log,
		      const char *list)
{
	struct answer answer;
	int error = answer_open(&answer);

	if (!error)
		error = clickhouse_ask(http, log,
				       "SELECT any(cluster) FROM store_version",
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

int left_overs_remove(struct clickhouse_http *http, const struct log *log)
{
	struct answer uploads;
	char *list = NULL;
	int64_t removals = 0;
	int error = answer_open(&uploads);

	if (!error)
		error = clickhouse_ask(http, log, query, &uploads);
	if (!error)
		list = list_ended(&uploads);
	if (list)
		error = is_removing(http, log, &removals);
	if (list && !error && !removals)
		error = remove_all(http, log, list);
	sqlite3_free(list);
	answer_free(&uploads);
	return error;
}
