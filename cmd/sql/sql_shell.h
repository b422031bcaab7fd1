/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SQL_SHELL_H
#define KT_CMD_SQL_SHELL_H

#include "report/text/record_writer.h"

#include <stdio.h>

struct sql_recording;
struct sqlite3;

/* Reads and runs queries on @recording, which @db has the tables of, until the end of input; on a terminal with history and
 * completion.
 *
 * Returns 0, or -1 if a query failed that was not read from a terminal.
 */
int sql_shell(const struct sql_recording *recording, struct sqlite3 *db,
	      enum record_format format, FILE *out);

#endif
