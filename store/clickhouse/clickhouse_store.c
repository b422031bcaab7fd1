/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/clickhouse_store.h"

#include "common/error.h"
#include "common/log.h"
#include "store/answer/answer.h"
#include "store/clickhouse/clickhouse_ask.h"
#include "store/clickhouse/clickhouse_ddl.h"
#include "store/clickhouse/clickhouse_http.h"
#include "store/clickhouse/clickhouse_query.h"
#include "store/clickhouse/clickhouse_schema.h"
#include "store/clickhouse/clickhouse_upload.h"
#include "store/clickhouse/clickhouse_url.h"
#include "store/clickhouse/left_overs.h"
#include "store/target/store_target.h"

#include <sqlite3.h>

#include <stdlib.h>

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

static int ask_number(const struct clickhouse_store *store, char *query,
		      int64_t *number)
{
	return clickhouse_ask_number(store->http, store->target.log, query,
				     number);
}

static int has_table(const struct clickhouse_store *store, const char *name,
		     int64_t *is_there)
{
	return ask_number(store,
			  sqlite3_mprintf("SELECT count() FROM system.tables "
					  "WHERE database = currentDatabase() "
					  "AND name = '%s'",
					  name),
			  is_there);
}

/* Refuses a database that has foreign tables with these names. */
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
	const char *text = clickhouse_ddl_text(DDL_SERVER);
	char *statement = NULL;
	int error = check_is_free(store);

	while (!error && (statement = clickhouse_ddl_next(&text)))
		error = clickhouse_do(store->http, statement);
	return !error && *text ? -ERROR_MEMORY : error;
}

static int check_version(const struct clickhouse_store *store)
{
	int64_t version;
	int error = ask_number(
		store,
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
	int error = text ? clickhouse_ask(store_of(target)->http, target->log,
					  text, answer) :
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
	.ask = ask,
	.close = close_store,
};

struct store_target *clickhouse_store_open(const char *name,
					   const struct log *log)
{
	struct clickhouse_store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
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
