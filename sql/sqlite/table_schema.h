/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_TABLE_SCHEMA_H
#define KT_SQL_TABLE_SCHEMA_H

#include "sql/rows/sql_table.h"

#include <stdbool.h>
#include <stdio.h>

/* Returns "CREATE TABLE …" for @table, with its hidden columns if they are
 * wanted, to be freed by sqlite3_free(); NULL when out of memory.
 */
char *table_schema_text(const struct sql_table *table, bool has_hidden);

/* Writes all tables with what their columns mean, as docs/schema.md has it. */
void table_schema_document(FILE *out);

#endif
