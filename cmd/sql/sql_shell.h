/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SQL_SHELL_H
#define KT_CMD_SQL_SHELL_H

#include "report/text/record_writer.h"

#include <stdio.h>

struct sqlite3;

/* Asks for queries until there are no more, on a terminal with history and
 * completion.
 *
 * Returns 0, or -1 if one of those that came from no terminal failed.
 */
int sql_shell(struct sqlite3 *db, enum record_format format, FILE *out);

#endif
