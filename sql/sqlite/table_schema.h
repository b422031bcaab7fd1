/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_TABLE_SCHEMA_H
#define KT_SQL_SQLITE_TABLE_SCHEMA_H

#include "sql/rows/row_queue.h"
#include "sql/rows/sql_table.h"
#include "sql/sqlite/sqlite_api_internal.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Returns "CREATE TABLE …" for @table, with its hidden columns if @has_hidden;
 * NULL when out of memory. The caller frees it with sqlite3_free().
 */
char *table_schema_text(const struct sql_table *table, bool has_hidden);

/* Writes the reference of all tables and columns, which is docs/schema.md. */
void table_schema_document(FILE *out);

/* Passes the value of a column of a row to SQLite. @texts is the lifetime of
 * texts: SQLITE_STATIC or SQLITE_TRANSIENT.
 */
void cell_result(sqlite3_context *context, const struct row_chunk *chunk,
		 uint32_t row, uint32_t column, sqlite3_destructor_type texts);

#endif
