/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_VIRTUAL_TABLE_H
#define KT_SQL_SQLITE_VIRTUAL_TABLE_H

#include "sql/sqlite/sqlite_api_internal.h"

struct sql_recording;

/* Opens the recordings of virtual tables. */
struct recording_opener {
	/* Opens the recording at @path, or returns it if it is open already.
	 *
	 * Returns NULL and an error text in *@message, which the caller frees
	 * with sqlite3_free(), on failure.
	 */
	const struct sql_recording *(*open)(struct recording_opener *opener,
					    const char *path, char **message);
	/* Releases the recording of one open(). */
	void (*close)(struct recording_opener *opener,
		      const struct sql_recording *recording);
	/* Frees the opener, together with the last database that uses it. */
	void (*free)(struct recording_opener *opener);
};

/* Registers with @db the module
 * 	CREATE VIRTUAL TABLE name USING ktrace('DIR', 'table')
 * and the function ktrace_open('DIR'), which creates all tables in the schema
 * temp or in the schema of its second argument. Takes ownership of @opener in
 * all cases.
 *
 * Returns an SQLite result code.
 */
int virtual_tables_register(sqlite3 *db, struct recording_opener *opener);

#endif
