/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_PERCENTILE_FUNCTION_H
#define KT_SQL_PERCENTILE_FUNCTION_H

#include "sql/sqlite/sqlite_api.h"

struct log;

/* Gives @db the aggregate function percentile(P, X): of all whole numbers X that
 * are not NULL the one that P percent of them do not exceed, by nearest rank; P
 * is above 0 and at most 100.  NULL if there are none.  Memory is bounded
 * (ranked_values.h); @log, which may be NULL and must outlive it, is told of temporary files that
 * cannot be written.
 *
 * Returns an SQLite result code.
 */
int percentile_function_register(sqlite3 *db, const struct log *log);

#endif
