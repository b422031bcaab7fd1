/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_QUERY_DATABASE_H
#define KT_SQL_QUERY_DATABASE_H

struct sql_recording;
struct sqlite3;

/* Opens a database in memory that has the tables of @recording, which it
 * borrows.
 *
 * Returns 0 and *@db, or -1 and in *@message, to be freed by sqlite3_free(), why
 * not; to be closed by sqlite3_close() either way.
 */
int query_database_open(const struct sql_recording *recording,
			struct sqlite3 **db, char **message);

#endif
