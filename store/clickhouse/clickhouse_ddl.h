/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_CLICKHOUSE_DDL_H
#define KT_STORE_CLICKHOUSE_DDL_H

#include <stdio.h>

/* The statements that make a store, which are files for operators to read: those of
 * store/clickhouse/ddl/, installed in share/ktrace-hw/clickhouse.
 *
 * Rows are sorted by recording and time and parted by day.  "recording" is a view
 * of recording_all which has each id once.  In a cluster each NAME is Distributed
 * over the replicated tables NAME_local; all rows of a recording are in one shard.
 */
enum clickhouse_ddl {
	DDL_SERVER,
	DDL_CLUSTER,
	DDL_SERVER_TTL, /* servers from 19.6 on know it */
	DDL_CLUSTER_TTL,
};

/* Returns the file's text, in which "{cluster}" and "{database}" are names. */
const char *clickhouse_ddl_text(enum clickhouse_ddl which);

/* Writes it, with these names. */
struct clickhouse_ddl_names {
	const char *cluster;
	const char *database;
};
void clickhouse_ddl_write(enum clickhouse_ddl which,
			  const struct clickhouse_ddl_names *names, FILE *out);

/* Returns the statement that begins at *@text, with the comments before it and
 * without the ; behind it, and moves *@text behind that; NULL if there is no other,
 * or when out of memory: *@text is at the end of the text if there is none.  To be
 * freed by sqlite3_free().
 */
char *clickhouse_ddl_next(const char **text);

#endif
