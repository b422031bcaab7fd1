/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_SQLITE_SQLITE_STORE_H
#define KT_STORE_SQLITE_SQLITE_STORE_H

#include <sqlite3.h>

struct log;
struct store_target;

enum sqlite_store_mode {
	SQLITE_STORE_READ,  /* the file must exist */
	SQLITE_STORE_WRITE, /* the file is created if it does not exist */
};

/* Opens the store in the file @path. @path and @log must outlive it.
 *
 * An upload is one transaction: readers see all of it or nothing, whatever
 * happens (https://www.sqlite.org/atomiccommit.html). Only one upload runs at a
 * time; others wait.
 *
 * SQLite opens files by name, and applies a journal that it finds beside a
 * file. So a file is not opened for writing if everybody may write to its
 * folder, if root opens it in another user's folder, or if its path contains
 * another user's symbolic link.
 *
 * Returns NULL on errors; @log has the reason. Close it with its class's
 * close().
 */
struct store_target *sqlite_store_open(const char *path,
				       enum sqlite_store_mode mode,
				       const struct log *log);

#endif
