/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_EXPORT_H
#define KT_SQL_SQLITE_EXPORT_H

#include <stdbool.h>

struct sql_recording;

/* Writes all tables of @recording to a database at @path, in one pass.  What
 * was there is replaced, once all is written.
 *
 * Returns 0, or -1 and in *@message, to be freed by sqlite3_free(), why not.
 */
int sqlite_export(const struct sql_recording *recording, const char *path,
		  char **message);

#endif
