/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_QUERY_ROWS_H
#define KT_SQL_SQLITE_QUERY_ROWS_H

#include "report/text/record_writer.h"

#include <stdio.h>

struct sql_reads;
struct sql_recording;
struct sqlite3;

/* Opens an in-memory database with the tables of @recording, which is borrowed.
 *
 * Returns 0 and *@db; or -1 and an error text in *@message, which the caller
 * frees with sqlite3_free(). Call sqlite3_close() in both cases.
 */
int query_database_open(const struct sql_recording *recording,
			struct sqlite3 **db, char **message);

/* Runs all statements of @text and writes their rows to @out. Sets *@reads to
 * the tables of the recording, and their columns, that they read.
 *
 * Returns 0, or -1 if a statement failed: sqlite3_errmsg() of @db then has the
 * reason.
 */
int query_rows_write(struct sqlite3 *db, const char *text,
		     enum record_format format, struct sql_reads *reads,
		     FILE *out);

#endif
