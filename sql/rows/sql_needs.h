/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_NEEDS_H
#define KT_SQL_NEEDS_H

#include "sql/rows/sql_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct recorded;

/* The tables and columns that a query reads. */
struct sql_reads {
	bool tables[SQL_TABLES];
	uint64_t columns[SQL_TABLES]; /* SQL_COLUMN() of each */
};

/* Returns SQL_COLUMN() of each column of @table that is NULL in all rows,
 * because the recording lacks what it needs.
 */
uint64_t sql_needs_nulls(const struct sql_table *table,
			 const struct recorded *recorded);

/* Writes which of @reads the recording has no data for, and the command that
 * records them: one line for all that the same command records, nothing if
 * nothing is missing. @tables has SQL_TABLES entries.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int sql_needs_explain(const struct sql_table *const *tables,
		      const struct recorded *recorded,
		      const struct sql_reads *reads, FILE *out);

#endif
