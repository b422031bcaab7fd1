/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_OPEN_FUNCTION_H
#define KT_SQL_OPEN_FUNCTION_H

#include "sql/sqlite/sqlite_api.h"

/* Registers the function ktrace_open('DIR' [, 'schema']) with @db, which must
 * have the module ktrace. Returns an SQLite result code.
 */
int open_function_register(sqlite3 *db);

#endif
