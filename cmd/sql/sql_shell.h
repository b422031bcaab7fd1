/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SQL_SQL_SHELL_H
#define KT_CMD_SQL_SQL_SHELL_H

#include "report/text/record_writer.h"

#include <stdio.h>

struct sql_reads;
struct sql_recording;
struct sqlite3;

/* Writes to standard error why a query of @db failed. @db is a database in
 * memory, so an error of a file can only be one of SQLite's temporary files.
 */
void sql_failure_report(struct sqlite3 *db);

/* Writes a note to standard error about the columns of @reads for which
 * @recording has no data, which are NULL in all rows, and the command that
 * records them.
 */
void sql_missing_report(const struct sql_recording *recording,
			const struct sql_reads *reads);

/* Like sql_missing_report(), for all columns of all tables. */
void sql_missing_report_all(const struct sql_recording *recording);

/* Reads and runs queries until the end of input; on a terminal with history and
 * completion. @db has the tables of @recording.
 *
 * Returns 0, or -1 if a query failed that was not read from a terminal.
 */
int sql_shell(const struct sql_recording *recording, struct sqlite3 *db,
	      enum record_format format, FILE *out);

#endif
