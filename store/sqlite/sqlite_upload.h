/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_SQLITE_UPLOAD_H
#define KT_STORE_SQLITE_UPLOAD_H

#include "sql/sqlite/table_insert.h"
#include "store/entry/store_entry.h"

#include <sqlite3.h>

#include <stdbool.h>

/* An upload into an SQLite store: one transaction. Functions return SQLite
 * result codes.
 */
struct sqlite_upload {
	sqlite3 *db; /* borrowed */
	struct table_insert inserts[SQL_TABLES];
};

/* Starts the transaction and sets @entry's number. If the store already has the
 * recording, sets *@is_there and starts nothing.
 */
int sqlite_upload_begin(struct sqlite_upload *upload, struct store_entry *entry,
			bool *is_there);
int sqlite_upload_add(struct sqlite_upload *upload,
		      const struct row_chunk *chunk);
int sqlite_upload_finish(struct sqlite_upload *upload,
			 const struct store_entry *entry,
			 const struct row_chunk *row);

/* Ends the upload and rolls it back unless it was finished. */
void sqlite_upload_close(struct sqlite_upload *upload);

#endif
