/* SPDX-License-Identifier: MIT */
#include "store/target/store_target.h"

#include "common/error.h"
#include "common/log.h"
#include "store/answer/answer.h"

#include <limits.h>
#include <sqlite3.h>

#include <inttypes.h>

int store_target_check_version(const struct store_target *target,
			       int64_t version)
{
	if (version == STORE_SCHEMA_VERSION)
		return 0;
	log_message(target->log, LOG_ERROR, target->name, LOG_NO_OFFSET,
		    version > STORE_SCHEMA_VERSION ?
			    "is a store of schema version %" PRId64
			    ", this ktrace-hw knows %d: use a newer ktrace-hw" :
			    "is a store of schema version %" PRId64
			    ", this ktrace-hw writes %d: add the recordings to "
			    "a new store",
		    version, STORE_SCHEMA_VERSION);
	return -ERROR_UNSUPPORTED;
}

void store_target_quote(const struct store_target *target, sqlite3_str *query,
			const char *text)
{
	sqlite3_str_appendchar(query, 1, '\'');
	for (; *text; text++) {
		if (*text == '\\' && target->class->has_backslashes)
			sqlite3_str_appendchar(query, 1, '\\');
		if (*text == '\'')
			sqlite3_str_appendchar(query, 1, '\'');
		sqlite3_str_appendchar(query, 1, *text);
	}
	sqlite3_str_appendchar(query, 1, '\'');
}

void store_target_fail(sqlite3_str *query)
{
	/* longer than any text of SQLite may be: allocates nothing */
	sqlite3_str_appendchar(query, INT_MAX, ' ');
}

int store_target_query(struct store_target *target, const char *query,
		       struct answer *answer)
{
	int error = answer_open(answer);

	if (!error)
		error = target->class->query(target, query, answer);
	if (error == -ERROR_MEMORY)
		log_message(target->log, LOG_ERROR, target->name, LOG_NO_OFFSET,
			    "out of memory");
	return error;
}
