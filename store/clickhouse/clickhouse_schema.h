/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_SCHEMA_H
#define KT_STORE_CLICKHOUSE_SCHEMA_H

#include "sql/rows/sql_table.h"

/* Returns the table that rows of @id go to. */
const char *clickhouse_schema_table(enum sql_table_id id);

/* Returns "INSERT INTO … FORMAT …" of table @id, to be freed by sqlite3_free();
 * NULL when out of memory.
 */
char *clickhouse_schema_insert(enum sql_table_id id);

#endif
