/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SPARSE_ROWS_H
#define KT_TABLES_SPARSE_ROWS_H

#include "common/array.h"
#include "report/text/record_writer.h"

#include <stddef.h>
#include <stdint.h>

/* Records of different kinds under one header, for CSV and JSON: each has a
 * section, and only the columns that apply to it; the others are absent.
 */
struct sparse_rows {
	const char *const *columns; /* borrowed; all numbers */
	size_t column_count;	    /* at most SPARSE_COLUMNS */
	struct array list;	    /* struct sparse_row */
};

enum { SPARSE_COLUMNS = 32 };

struct sparse_row {
	const char *section; /* borrowed */
	char *name;	     /* owned; or NULL */
	uint32_t present;    /* a bit for each column */
	int64_t values[SPARSE_COLUMNS];
};

struct sparse_rows sparse_rows_of(const char *const *columns, size_t count);
void sparse_rows_free(struct sparse_rows *rows);

/* Appends a row; @name may be NULL. The pointer is valid until the next call.
 *
 * Returns NULL when out of memory.
 */
struct sparse_row *sparse_rows_add(struct sparse_rows *rows,
				   const char *section, const char *name);

/* Fills in a column. */
void sparse_row_set(struct sparse_row *row, size_t column, uint64_t value);

/* Writes all rows: section, name, then the columns. */
void sparse_rows_write(const struct sparse_rows *rows, FILE *out,
		       enum record_format format);

#endif
