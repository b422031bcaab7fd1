/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_QUERY_ROWS_H
#define KT_SQL_QUERY_ROWS_H

#include "report/text/record_writer.h"

#include <stdio.h>

struct sql_reads;
struct sqlite3;

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
