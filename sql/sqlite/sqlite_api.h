/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_API_H
#define KT_SQL_SQLITE_API_H

/* SQLite as the program is linked with it; or, for the loadable extension, as
 * the program that loads it hands it over.
 */
#ifdef KTRACE_SQLITE_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

#endif
