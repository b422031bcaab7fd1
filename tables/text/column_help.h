/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_COLUMN_HELP_H
#define KT_TABLES_COLUMN_HELP_H

/* One line on each column of the tables of report: for `report --columns`, and
 * for the manual page ktrace-hw-report(1), whose section COLUMNS has the same
 * lines (tests/tables/test_column_help.c).
 */

#include <stddef.h>
#include <stdio.h>

struct attribution_table;

struct column_help {
	const char *table; /* only in this table; NULL: in all others */
	const char *name;  /* in CSV */
	const char *text;
};

/* Returns entry @index of the list, or NULL after the last. */
const struct column_help *column_help_at(size_t index);

/* Returns the line on column @name of the table @table, or NULL. */
const char *column_help_find(const char *table, const char *name);

/* Writes the columns of @table, one a line: heading, name in CSV, meaning. */
void column_help_write(const struct attribution_table *table, FILE *out);

#endif
