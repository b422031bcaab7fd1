/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/query_database.h"

#include "common/error.h"
#include "decoder/recording/recording.h"
#include "sql/scan/sql_recording.h"
#include "sql/sqlite/virtual_table.h"

#include <stdlib.h>

/* Opens always the same recording. */
struct only_recording {
	struct recording_opener opener; /* must be the first member */
	const struct sql_recording *recording;
};

static const struct sql_recording *open_only(struct recording_opener *opener,
					     const char *path, char **message)
{
	(void)path;
	(void)message;
	return ((struct only_recording *)opener)->recording;
}

static void close_only(struct recording_opener *opener,
		       const struct sql_recording *recording)
{
	(void)opener;
	(void)recording;
}

static void free_only(struct recording_opener *opener)
{
	free(opener);
}

static int register_only(sqlite3 *db, const struct sql_recording *recording)
{
	struct only_recording *only = calloc(1, sizeof(*only));

	if (!only)
		return SQLITE_NOMEM;
	only->opener =
		(struct recording_opener){ open_only, close_only, free_only };
	only->recording = recording;
	return virtual_tables_register(db, &only->opener);
}

static int make_tables(sqlite3 *db, const struct sql_recording *recording,
		       char **message)
{
	char *text =
		sqlite3_mprintf("SELECT ktrace_open(%Q, 'main')",
				recording_path(recording->input.recording));
	int status = text ? sqlite3_exec(db, text, NULL, NULL, message) :
			    SQLITE_NOMEM;

	sqlite3_free(text);
	return status;
}

int query_database_open(const struct sql_recording *recording, sqlite3 **db,
			char **message)
{
	int status = sqlite3_open(":memory:", db);

	*message = NULL;
	if (!status)
		status = register_only(*db, recording);
	if (!status)
		status = make_tables(*db, recording, message);
	if (status && !*message)
		*message = sqlite3_mprintf("%s", sqlite3_errstr(status));
	return status ? -1 : 0;
}
