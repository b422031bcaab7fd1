/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_SCHEMA_H
#define KT_STORE_CLICKHOUSE_SCHEMA_H

#include "sql/rows/sql_table.h"

/* Returns the name of the table for rows of @id. */
const char *clickhouse_schema_table(enum sql_table_id id);

/* Returns "INSERT INTO … FORMAT …" for table @id, or NULL when out of memory.
 * The caller frees it with sqlite3_free().
 */
char *clickhouse_schema_insert(enum sql_table_id id);

#endif
