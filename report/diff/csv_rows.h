/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CSV_ROWS_H
#define KT_REPORT_CSV_ROWS_H

#include "common/array.h"

#include <stddef.h>

/* A parsed CSV table (RFC 4180). */
struct csv_rows {
	char *text;	     /* contains the fields; owned */
	struct array fields; /* char *, row after row, the header first */
	size_t columns;
};

/* Parses @text, which must end with a NUL, and takes ownership of it.
 *
 * Returns 0 or -ERROR_MEMORY. Call csv_rows_free() in both cases.
 */
int csv_rows_read(struct csv_rows *rows, char *text);
void csv_rows_free(struct csv_rows *rows);

/* Returns the number of rows without the header. */
size_t csv_rows_count(const struct csv_rows *rows);

/* Returns the field in @column of row @index; "" if the column does not exist.
 */
const char *csv_rows_text(const struct csv_rows *rows, size_t index,
			  const char *column);

/* Returns that field as a number; 0 if it is not a number. */
double csv_rows_number(const struct csv_rows *rows, size_t index,
		       const char *column);

#endif
