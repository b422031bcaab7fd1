/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_QUERY_DATABASE_H
#define KT_SQL_QUERY_DATABASE_H

struct sql_recording;
struct sqlite3;

/* Opens an in-memory database with the tables of @recording, which is borrowed.
 *
 * Returns 0 and *@db; or -1 and an error text in *@message, which the caller
 * frees with sqlite3_free(). Call sqlite3_close() in both cases.
 */
int query_database_open(const struct sql_recording *recording,
			struct sqlite3 **db, char **message);

#endif
