/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_TABLE_SCHEMA_H
#define KT_SQL_TABLE_SCHEMA_H

#include "sql/rows/sql_table.h"

#include <stdbool.h>
#include <stdio.h>

/* Returns "CREATE TABLE …" for @table, with its hidden columns if @has_hidden;
 * NULL when out of memory. The caller frees it with sqlite3_free().
 */
char *table_schema_text(const struct sql_table *table, bool has_hidden);

/* Writes the reference of all tables and columns, which is docs/schema.md. */
void table_schema_document(FILE *out);

#endif
