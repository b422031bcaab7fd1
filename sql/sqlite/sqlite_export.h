/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_EXPORT_H
#define KT_SQL_SQLITE_EXPORT_H

#include <stdbool.h>

struct sql_recording;

/* Writes all tables of @recording to a database at @path in one pass. An
 * existing file is replaced when the new one is complete.
 *
 * Returns 0; or -1 and an error text in *@message, which the caller frees with
 * sqlite3_free().
 */
int sqlite_export(const struct sql_recording *recording, const char *path,
		  char **message);

#endif
