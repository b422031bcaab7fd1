/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_CONSTRAINTS_H
#define KT_SQL_CONSTRAINTS_H

#include "sql/rows/row_choice.h"
#include "sql/rows/sql_table.h"
#include "sql/sqlite/sqlite_api.h"

#include <stdbool.h>

/* Which of a query's constraints are pushed down is kept as a text such as
 * "begin_ns>=? end_ns<?", which EXPLAIN QUERY PLAN shows: a column, an operator
 * and where the value goes, for each.
 */

/* Returns whether operator @op (SQLITE_INDEX_CONSTRAINT_*) on @column saves
 * anything, and its text in *@text.
 */
bool constraint_helps(const struct sql_column *column, unsigned char op,
		      const char **text);

/* Narrows @choice by the constraints of @plan, whose values are the @count
 * ones at @values.  What a value cannot narrow, SQLite looks at itself.
 */
void constraints_apply(const struct sql_table *table, const char *plan,
		       sqlite3_value *const *values, int count,
		       struct row_choice *choice);

#endif
