/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_CLICKHOUSE_DDL_H
#define KT_STORE_CLICKHOUSE_CLICKHOUSE_DDL_H

#include "sql/rows/sql_table.h"

#include <stdio.h>

/* Returns the name of the table for rows of @id. */
const char *clickhouse_schema_table(enum sql_table_id id);

/* Returns "INSERT INTO … FORMAT …" for table @id, or NULL when out of memory.
 * The caller frees it with sqlite3_free().
 */
char *clickhouse_schema_insert(enum sql_table_id id);

/* The statements that create a store. Those for one server are made of the
 * tables' columns (sql_table.h), between the two texts store/clickhouse/ddl/
 * server.head and server.tail; those for a cluster are made of them, and have a
 * head of their own there.
 *
 * Rows are sorted by recording and time and partitioned by day. "recording" is
 * a view of recording_all that has each ID once. In a cluster each NAME is
 * Distributed over the replicated tables NAME_local, and all rows of a
 * recording are in one shard.
 */
enum clickhouse_ddl {
	DDL_SERVER,
	DDL_CLUSTER,
	DDL_SERVER_TTL, /* needs ClickHouse 19.6 or later */
	DDL_CLUSTER_TTL,
};

/* Returns the text of DDL_SERVER, which the caller frees, or NULL when out of
 * memory.
 */
char *clickhouse_ddl_server(void);

/* Writes the statements; @names are of a cluster. Returns 0 or -ERROR_MEMORY. */
struct clickhouse_ddl_names {
	const char *cluster;
	const char *database;
};
int clickhouse_ddl_write(enum clickhouse_ddl which,
			 const struct clickhouse_ddl_names *names, FILE *out);

/* Returns the statement at *@text with the comments before it and without its
 * final semicolon, and advances *@text past it. The caller frees it with
 * sqlite3_free(). Returns NULL at the end of the text, or when out of memory;
 * *@text is at the end only in the first case.
 */
char *clickhouse_ddl_next(const char **text);

#endif
