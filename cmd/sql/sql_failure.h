/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SQL_FAILURE_H
#define KT_CMD_SQL_FAILURE_H

struct sqlite3;

/* Writes to standard error why a query of @db failed. The database is in memory:
 * only SQLite's temporary files can fail as files.
 */
void sql_failure_say(struct sqlite3 *db);

#endif
