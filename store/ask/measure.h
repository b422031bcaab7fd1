/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_MEASURE_H
#define KT_STORE_MEASURE_H

#include "sql/rows/sql_table.h"

/* A kind of duration: its table, and the rows that count. As in reports, these
 * are complete rows of the traced system's own work.
 */
struct measure {
	const char *name; /* the argument of --of */
	enum sql_table_id table;
	const char *item_name; /* its column in results */
	const char *item;      /* an SQL expression */
	const char *value;     /* a column, ns */
	const char *end;       /* the end: an SQL expression, ns */
	const char *condition;
};

/* Returns measure @index, or NULL if @index is past the last measure. */
const struct measure *measure_at(size_t index);

/* Returns the measure with name @name, or NULL. */
const struct measure *measure_find(const char *name);

#endif
