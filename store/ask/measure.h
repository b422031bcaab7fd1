/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_MEASURE_H
#define KT_STORE_MEASURE_H

#include "sql/rows/sql_table.h"

/* Something that has durations: what they are of, and which rows count, as in
 * reports: whole ones, of the traced system's own work.
 */
struct measure {
	const char *name; /* of --of */
	enum sql_table_id table;
	const char *item_name; /* the column that an answer has it in */
	const char *item;      /* an expression */
	const char *value;     /* a column, ns */
	const char *end;       /* when they end: an expression, ns */
	const char *condition;
};

/* Returns measure @index, or NULL behind the last. */
const struct measure *measure_at(size_t index);

/* Returns the one called @name, or NULL. */
const struct measure *measure_find(const char *name);

#endif
