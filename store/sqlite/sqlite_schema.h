/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_SQLITE_SCHEMA_H
#define KT_STORE_SQLITE_SCHEMA_H

#include "sql/rows/sql_table.h"

#include <sqlite3.h>

#include <stdint.h>

/* The application ID in the file's header
 * (https://www.sqlite.org/fileformat.html, offset 68), "ktfl": the file is a
 * store and not an exported recording.
 */
enum { SQLITE_STORE_APPLICATION = 0x6b74666c };

/* Creates the tables of a store in @db, which must be empty. Returns an SQLite
 * result code.
 */
int sqlite_schema_make(sqlite3 *db);

/* Returns the INSERT for rows of table @id of recording @number, which reads
 * them from chunk_NAME (sql/sqlite/table_insert.h); NULL when out of memory. The
 * caller frees it with sqlite3_free().
 */
char *sqlite_schema_insert(enum sql_table_id id, int64_t number);

/* Like sqlite_schema_insert(), for the table "recording". Parameters ?1, ?2 …
 * are the columns of the entry (store_entry_columns).
 */
char *sqlite_schema_insert_entry(void);

#endif
