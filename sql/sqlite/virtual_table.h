/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_VIRTUAL_TABLE_H
#define KT_SQL_VIRTUAL_TABLE_H

#include "sql/sqlite/sqlite_api.h"

struct sql_recording;

/* Where the recordings come from that tables are asked of. */
struct recording_opener {
	/* Opens the recording at @path, or finds it open.
	 *
	 * Returns NULL and *@message, to be freed by sqlite3_free(), if it
	 * cannot.
	 */
	const struct sql_recording *(*open)(struct recording_opener *opener,
					    const char *path, char **message);
	/* Undoes one open(). */
	void (*close)(struct recording_opener *opener,
		      const struct sql_recording *recording);
	/* Frees the opener itself, with the last database that knows it. */
	void (*free)(struct recording_opener *opener);
};

/* Makes known to @db
 *	CREATE VIRTUAL TABLE name USING ktrace('DIR', 'table')
 * and ktrace_open('DIR'), which does so for all tables, in the schema temp, or
 * in the one that a second argument names.  Owns @opener in any case.
 *
 * Returns an SQLite result code.
 */
int virtual_tables_register(sqlite3 *db, struct recording_opener *opener);

#endif
