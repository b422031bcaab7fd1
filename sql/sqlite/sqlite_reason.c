/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/sqlite_reason.h"

#include "common/files/output_folder.h"

#include <sqlite3.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool sqlite_failed_in_file(struct sqlite3 *db)
{
	int code = sqlite3_errcode(db) & 0xff;

	return code == SQLITE_FULL || code == SQLITE_IOERR ||
	       code == SQLITE_CANTOPEN;
}

/* Returns the system's error, or 0. If the disk is full, SQLite has cleared
 * errno. SQLite stores an errno of the database's file longer than the errno of
 * other files, so the former is queried first.
 */
static int cause_of(struct sqlite3 *db)
{
	int cause = 0;

	if ((sqlite3_errcode(db) & 0xff) == SQLITE_FULL)
		return ENOSPC;
	sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &cause);
	return cause ? cause : sqlite3_system_errno(db);
}

const char *sqlite_reason(struct sqlite3 *db)
{
	const char *message = sqlite3_errmsg(db);
	int cause = sqlite_failed_in_file(db) ? cause_of(db) : 0;

	return cause ? strerror(cause) : message;
}

const char *sqlite_temporary_place(void)
{
	const char *folder = getenv("SQLITE_TMPDIR");

	return folder && *folder ? folder : output_temporary_path();
}
