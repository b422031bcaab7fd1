/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_QUERY_PLAN_INTERNAL_H
#define KT_SQL_SQLITE_QUERY_PLAN_INTERNAL_H

#include "sql/rows/row_out.h"
#include "sql/rows/sql_table.h"
#include "sql/sqlite/sqlite_api_internal.h"

#include <stdbool.h>
#include <stdint.h>

/* The pushed-down constraints of a query are stored as a text such as
 * "begin_ns>=? end_ns<?", which EXPLAIN QUERY PLAN shows: for each constraint a
 * column, an operator and a placeholder.
 */

/* Returns whether a constraint with operator @op (SQLITE_INDEX_CONSTRAINT_*) on
 * @column saves work, and the operator's text in *@text.
 */
bool constraint_helps(const struct column *column, unsigned char op,
		      const char **text);

/* Narrows @choice by the constraints of @plan with the @count values at
 * @values. Values that cannot narrow it are left to SQLite.
 */
void constraints_apply(const struct sql_table *table, const char *plan,
		       sqlite3_value *const *values, int count,
		       struct row_choice *choice);

/* The size of a recording, for cost estimates. */
struct plan_sizes {
	uint64_t trace_bytes;
	uint64_t first_ns;
	uint64_t last_ns;
};

/* Chooses the constraints of @info that are pushed down to the rows of @table:
 * an xBestIndex function.
 */
int query_plan_make(const struct sql_table *table,
		    const struct plan_sizes *sizes, sqlite3_index_info *info);

#endif
