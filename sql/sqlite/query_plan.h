/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_QUERY_PLAN_H
#define KT_SQL_QUERY_PLAN_H

#include "sql/rows/sql_table.h"
#include "sql/sqlite/sqlite_api.h"

#include <stdint.h>

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
