/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_CELL_RESULT_H
#define KT_SQL_CELL_RESULT_H

#include "sql/rows/row_chunk.h"
#include "sql/sqlite/sqlite_api.h"

#include <stdint.h>

/* Passes the value of a column of a row to SQLite. @texts is the lifetime of
 * texts: SQLITE_STATIC or SQLITE_TRANSIENT.
 */
void cell_result(sqlite3_context *context, const struct row_chunk *chunk,
		 uint32_t row, uint32_t column, sqlite3_destructor_type texts);

#endif
