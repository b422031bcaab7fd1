/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CSV_ROWS_H
#define KT_REPORT_CSV_ROWS_H

#include "common/array.h"

#include <stddef.h>

/* A table that was written as CSV (RFC 4180), read again. */
struct csv_rows {
	char *text;	     /* that the fields lie in; owned */
	struct array fields; /* char *, row after row, the header first */
	size_t columns;
};

/* Takes over @text, which ends with a NUL.
 *
 * Returns 0, or -ERROR_MEMORY; @rows is to be freed either way.
 */
int csv_rows_read(struct csv_rows *rows, char *text);
void csv_rows_free(struct csv_rows *rows);

/* Returns how many rows there are below the header. */
size_t csv_rows_count(const struct csv_rows *rows);

/* Returns the field in @column of row @index; "" if there is no such column. */
const char *csv_rows_text(const struct csv_rows *rows, size_t index,
			  const char *column);

/* Returns it as a number, 0 if it is none. */
double csv_rows_number(const struct csv_rows *rows, size_t index,
		       const char *column);

#endif
