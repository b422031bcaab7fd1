/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_STORE_ROWS_FIXTURE_H
#define KT_TESTS_STORE_ROWS_FIXTURE_H

#include "sql/rows/row_queue.h"

/* Rows of any table, put together by hand: a new row has NULL in all columns.
 * Texts are borrowed. Unknown columns fail the test.
 */
struct row_chunk *store_rows_new(enum sql_table_id id);
void store_rows_add(struct row_chunk *rows);

/* Set a column of the last row. */
void store_rows_number(struct row_chunk *rows, const char *column,
		       int64_t number);
void store_rows_text(struct row_chunk *rows, const char *column,
		     const char *text);

#endif
