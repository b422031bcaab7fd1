/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_QUERY_TABLE_H
#define KT_SQL_QUERY_TABLE_H

#include "common/array.h"

#include <stdio.h>

struct sqlite3_stmt;

/* The rows of a query as aligned columns, stored until all widths are known. */
struct query_table {
	struct sqlite3_stmt *statement; /* borrowed */
	struct array columns;		/* struct table_column */
	struct array cells;		/* char *, row by row */
};

/* Returns 0 or -ERROR_MEMORY. */
int query_table_open(struct query_table *table, struct sqlite3_stmt *statement);
void query_table_close(struct query_table *table);

/* Stores the current row of the statement. Returns 0 or -ERROR_MEMORY. */
int query_table_keep(struct query_table *table);

/* Writes the columns' names and all rows. */
void query_table_write(const struct query_table *table, FILE *out);

#endif
