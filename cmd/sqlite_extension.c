/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/query_session.h"
#include "sql/sqlite/virtual_table.h"

#include <stdlib.h>
#include <string.h>

/* The extension that SQLite loads: ".load ktrace-hw.so" in sqlite3, or other
 * programs' equivalent.
 */
SQLITE_EXTENSION_INIT1

/* A recording whose tables are queried. */
struct open_recording {
	struct query_session query;
	struct session session;
	char *path;
	unsigned int users;
	struct open_recording *next;
};

/* All recordings that one database has open. */
struct recordings {
	struct recording_opener opener; /* must be the first member */
	struct open_recording *first;
};

static void free_recording(struct open_recording *recording)
{
	query_session_close(&recording->query);
	session_close(&recording->session);
	free(recording->path);
	free(recording);
}

static struct open_recording *open_new(const char *path)
{
	struct open_recording *recording = calloc(1, sizeof(*recording));
	struct report_options options = { 0 };

	if (!recording)
		return NULL;
	recording->path = strdup(path);
	options.input = recording->path;
	if (recording->path &&
	    !session_open_input(&recording->session, &options) &&
	    !query_session_open(&recording->query, &recording->session))
		return recording;
	free_recording(recording);
	return NULL;
}

static const struct sql_recording *open_path(struct recording_opener *opener,
					     const char *path, char **message)
{
	struct recordings *all = (struct recordings *)opener;
	struct open_recording *recording = all->first;

	while (recording && strcmp(recording->path, path))
		recording = recording->next;
	if (!recording) {
		recording = open_new(path);
		if (!recording) {
			*message = sqlite3_mprintf(
				"%s: not opened: see standard error", path);
			return NULL;
		}
		recording->next = all->first;
		all->first = recording;
	}
	recording->users++;
	return &recording->query.recording;
}

static void close_one(struct recording_opener *opener,
		      const struct sql_recording *which)
{
	struct recordings *all = (struct recordings *)opener;
	struct open_recording **place = &all->first;
	struct open_recording *recording;

	while (&(*place)->query.recording != which)
		place = &(*place)->next;
	recording = *place;
	if (--recording->users)
		return;
	*place = recording->next;
	free_recording(recording);
}

/* Frees the opener: SQLite closes all tables before it destroys their module.
 */
static void free_all(struct recording_opener *opener)
{
	free(opener);
}

__attribute__((visibility("default"))) int
sqlite3_ktracehw_init(sqlite3 *db, char **message,
		      const sqlite3_api_routines *api);

int sqlite3_ktracehw_init(sqlite3 *db, char **message,
			  const sqlite3_api_routines *api)
{
	struct recordings *recordings;

	(void)message;
	SQLITE_EXTENSION_INIT2(api);
	recordings = calloc(1, sizeof(*recordings));
	if (!recordings)
		return SQLITE_NOMEM;
	recordings->opener =
		(struct recording_opener){ open_path, close_one, free_all };
	return virtual_tables_register(db, &recordings->opener);
}
