/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/sqlite_export.h"

#include "common/error.h"
#include "common/files/output_file.h"
#include "common/files/regular_file.h"
#include "sql/scan/table_scan.h"
#include "sql/sqlite/sqlite_reason.h"
#include "sql/sqlite/table_insert.h"
#include "sql/tables/sql_tables.h"

#include <sqlite3.h>

#include "sql/rows/row_queue.h"
#include "sql/rows/sql_table.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Flags to open a database without SQLite's locks (three per cell), which would
 * take a third of the time.
 */
enum {
	ONE_THREADS_FILE = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
			   SQLITE_OPEN_NOMUTEX,
};

/* A database being written. */
struct database {
	sqlite3 *db;
	struct table_insert inserts[SQL_TABLES];
	bool wanted[SQL_TABLES];
};

/* Starts the transaction. No process reads the file before it is complete, and
 * an incomplete one is discarded, so no journal is needed.
 */
static int begin(struct database *to)
{
	char *text = sqlite3_mprintf("PRAGMA page_size = 32768;"
				     "PRAGMA journal_mode = off;"
				     "PRAGMA synchronous = off;"
				     "PRAGMA locking_mode = exclusive;"
				     "PRAGMA user_version = %d;"
				     "BEGIN",
				     SQL_SCHEMA_VERSION);
	int status = text ? sqlite3_exec(to->db, text, NULL, NULL, NULL) :
			    SQLITE_NOMEM;

	sqlite3_free(text);
	return status;
}

static int make_tables(struct database *to,
		       const struct sql_recording *recording)
{
	int status = table_schema_insert(to->db);

	for (int i = 0; !status && i < SQL_TABLES; i++) {
		to->wanted[i] = table_scan_can(recording, (enum sql_table_id)i);
		status = table_insert_open(&to->inserts[i], to->db,
					   sql_table_at((enum sql_table_id)i));
	}
	return status;
}

/* Copies all rows. Returns an SQLite result code, and sets *@scan_status to 0
 * or a negative enum error.
 */
static int copy_rows(struct database *to, const struct sql_recording *recording,
		     int *scan_status)
{
	const struct row_choice all = ROW_CHOICE_ALL;
	struct table_scan *scan = table_scan_start(recording, to->wanted, &all);
	struct row_chunk *chunk;
	int status = SQLITE_OK;

	*scan_status = scan ? 0 : -ERROR_MEMORY;
	if (!scan)
		return SQLITE_OK;
	while (!status && (chunk = table_scan_next(scan))) {
		status = table_insert_rows(&to->inserts[chunk->table->id],
					   chunk);
		table_scan_give_back(scan, chunk);
	}
	if (!status)
		*scan_status = table_scan_status(scan);
	table_scan_stop(scan);
	return status;
}

static int write_all(struct database *to, const struct sql_recording *recording,
		     char **message)
{
	int scan_status = 0;
	int status = begin(to);

	if (!status)
		status = make_tables(to, recording);
	if (!status)
		status = copy_rows(to, recording, &scan_status);
	for (int i = 0; i < SQL_TABLES; i++)
		table_insert_close(&to->inserts[i]);
	if (!status && !scan_status)
		status = sqlite3_exec(to->db, "COMMIT", NULL, NULL, NULL);
	if (status)
		*message = sqlite3_mprintf("cannot be written: %s",
					   sqlite_reason(to->db));
	else if (scan_status)
		*message = sqlite3_mprintf("not decoded: %s",
					   error_text(scan_status));
	return status || scan_status ? -1 : 0;
}

static int put_in_place(const char *part, const char *path, char **message)
{
	if (rename(part, path) == 0)
		return 0;
	*message = sqlite3_mprintf("cannot be written: %s", strerror(errno));
	return -1;
}

static int export_to(const struct sql_recording *recording, const char *part,
		     char **message)
{
	struct database to = { 0 };
	int status = sqlite3_open_v2(part, &to.db, ONE_THREADS_FILE, NULL);

	if (status)
		*message = sqlite3_mprintf("cannot be written: %s",
					   sqlite_reason(to.db));
	else
		status = write_all(&to, recording, message);
	if (sqlite3_close(to.db) && !status) {
		*message = sqlite3_mprintf("cannot be written: %s",
					   sqlite_reason(to.db));
		status = -1;
	}
	return status ? -1 : 0;
}

/* Exports through a temporary file. SQLite opens files by name, and its journal
 * beside them: both are created in a folder with an unpredictable name, in
 * which no other user can write.
 */
static int export_aside(const struct sql_recording *recording,
			const char *folder, const char *path, char **message)
{
	char *part = sqlite3_mprintf("%s/part", folder);
	char *journal = sqlite3_mprintf("%s/part-journal", folder);
	int status = -1;

	if (!part || !journal) {
		*message = sqlite3_mprintf("%s", error_text(-ERROR_MEMORY));
	} else {
		status = export_to(recording, part, message);
		if (!status)
			status = put_in_place(part, path, message);
		unlink(part);
		unlink(journal);
	}
	sqlite3_free(part);
	sqlite3_free(journal);
	return status;
}

static int export_beside(const struct sql_recording *recording,
			 const char *path, char **message)
{
	char *folder = sqlite3_mprintf("%s.XXXXXX", path);
	int status = -1;

	if (folder && !mkdtemp(folder)) {
		*message = sqlite3_mprintf("cannot be written: %s",
					   strerror(errno));
	} else if (folder) {
		status = export_aside(recording, folder, path, message);
		rmdir(folder);
	}
	sqlite3_free(folder);
	return status;
}

/* Looks up the folder once, and follows no link of another user. */
int sqlite_export(const struct sql_recording *recording, const char *path,
		  char **message)
{
	char *name = NULL;
	int folder = new_file_may_be(path) ? trusted_path_parent(path, &name) :
					     -1;
	char *found;
	int status = -1;

	*message = NULL;
	if (folder < 0) {
		*message = sqlite3_mprintf("cannot be written: %s",
					   regular_file_error(errno));
		return -1;
	}
	found = sqlite3_mprintf("/proc/self/fd/%d/%s", folder, name);
	if (found)
		status = export_beside(recording, found, message);
	else
		*message = sqlite3_mprintf("%s", error_text(-ERROR_MEMORY));
	sqlite3_free(found);
	free(name);
	close(folder);
	return status;
}
