/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_SQLITE_SCHEMA_H
#define KT_STORE_SQLITE_SCHEMA_H

#include "sql/rows/sql_table.h"

#include <sqlite3.h>

#include <stdint.h>

/* In the file's head (https://www.sqlite.org/fileformat.html, offset 68) it
 * says that this is a store, and no exported recording: "ktfl".
 */
enum { SQLITE_STORE_APPLICATION = 0x6b74666c };

/* Makes the tables of a store in @db, which is empty.  Returns an SQLite result
 * code.
 */
int sqlite_schema_make(sqlite3 *db);

/* Returns the INSERT of rows of table @id of recording @number, which takes them
 * from chunk_NAME (sql/sqlite/chunk_table.h); to be freed by sqlite3_free(); NULL
 * when out of memory.
 */
char *sqlite_schema_insert(enum sql_table_id id, int64_t number);

/* The same of the table "recording", where parameters ?1, ?2 … are the entry's own
 * columns (store_entry_columns).
 */
char *sqlite_schema_insert_entry(void);

#endif
