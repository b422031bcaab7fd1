/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_REASON_H
#define KT_SQL_SQLITE_REASON_H

#include <stdbool.h>

struct sqlite3;

/* Returns why the last call on @db failed: strerror() if a file could not be
 * read or written, otherwise SQLite's own message. Valid until the next call on
 * @db or strerror().
 */
const char *sqlite_reason(struct sqlite3 *db);

/* Returns whether the last call on @db failed because of a file. */
bool sqlite_failed_in_file(struct sqlite3 *db);

/* Returns the folder of SQLite's temporary files. */
const char *sqlite_temporary_place(void);

#endif
