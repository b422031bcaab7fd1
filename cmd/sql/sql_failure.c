/* SPDX-License-Identifier: MIT */
#include "cmd/sql/sql_failure.h"

#include "cmd/console/say.h"
#include "sql/sqlite/sqlite_reason.h"

#include <sqlite3.h>

void sql_failure_say(struct sqlite3 *db)
{
	if (sqlite_failed_in_file(db))
		say("sql: %s: cannot write a temporary file: %s",
		    sqlite_temporary_place(), sqlite_reason(db));
	else
		say("sql: %s", sqlite3_errmsg(db));
}
