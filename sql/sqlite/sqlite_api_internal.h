/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_SQLITE_API_INTERNAL_H
#define KT_SQL_SQLITE_SQLITE_API_INTERNAL_H

/* SQLite's interface: the linked library, or for the loadable extension the
 * interface of the program that loads it.
 */
#ifdef KTRACE_SQLITE_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

#endif
