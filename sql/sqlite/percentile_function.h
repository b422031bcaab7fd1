/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_PERCENTILE_FUNCTION_H
#define KT_SQL_PERCENTILE_FUNCTION_H

#include "sql/sqlite/sqlite_api_internal.h"

struct log;

/* Registers with @db the aggregate function percentile(P, X): among all
 * integers X that are not NULL, the value that P percent of them do not exceed,
 * by nearest rank; NULL if there is no value. P is above 0 and at most 100.
 * Memory is bounded (ranked_values_internal.h). Failures to write temporary
 * files are logged to @log, which may be NULL and must outlive @db.
 *
 * Returns an SQLite result code.
 */
int percentile_function_register(sqlite3 *db, const struct log *log);

#endif
