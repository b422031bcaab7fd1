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

/* The statements that create a store, and those that limit how long it keeps
 * rows (TTL).
 *
 * For one server, CREATE TABLE statements are generated from the tables'
 * columns (sql_table.h) and put between the files server.head and server.tail
 * of store/clickhouse/ddl/. The statements for a cluster are translated from
 * those for one server, after cluster.head.
 *
 * Rows are sorted by recording and time and partitioned by day. "recording" is
 * a view of recording_all that has each ID once. In a cluster each table NAME
 * is Distributed over the replicated tables NAME_local, and all rows of a
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

/* The names in the statements for a cluster; those for one server have none. */
struct clickhouse_ddl_names {
	const char *cluster;
	const char *database;
};

/* Writes the statements @which to @out. Returns 0 or -ERROR_MEMORY. */
int clickhouse_ddl_write(enum clickhouse_ddl which,
			 const struct clickhouse_ddl_names *names, FILE *out);

/* Returns the statement at *@text, with the comments before it and without its
 * final semicolon, and advances *@text past it. The caller frees it with
 * sqlite3_free().
 *
 * Returns NULL at the end of the text, and then sets *@text to its end; also
 * returns NULL when out of memory, with *@text unchanged.
 */
char *clickhouse_ddl_next(const char **text);

#endif
