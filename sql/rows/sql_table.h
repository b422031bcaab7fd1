/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROWS_SQL_TABLE_H
#define KT_SQL_ROWS_SQL_TABLE_H

/* The columns of a table and their meanings, defined once for SQLite's virtual
 * tables, for exports and for stores, with the producer of its rows.
 *
 *	constraints of a query ─► enum column_role: window, rows to drop early
 *	struct row_source_class ─► rows (row_out.h) ─► a reader of the columns
 *
 * 1. Tables are constant. A producer fills in a cell for each column, by
 *    number.
 * 2. enum column_role is the work that a constraint on a column saves. It never
 *    changes which rows are accepted, only how many are made.
 * 3. SQL_SCHEMA_VERSION changes with the meaning of any column.
 */

#include "rows/column.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct recorded;
struct row_source_class;
struct table_records;

/* The version of the schema. It changes when a table or column is added,
 * removed, renamed or changes its meaning.
 */
enum { SQL_SCHEMA_VERSION = 8 };

enum { SQL_MOST_COLUMNS = 64 };

/* All tables, in the order of the documentation. */
enum sql_table_id {
	TABLE_RECORDING,
	TABLE_CPU,
	TABLE_FUNCTION,
	TABLE_PROCESS,
	TABLE_THREAD,
	TABLE_THREAD_STATE,
	TABLE_SYSCALL,
	TABLE_FAULT,
	TABLE_SLEEP,
	TABLE_WAKEUP,
	TABLE_LOCK_WAIT,
	TABLE_SPIN,
	TABLE_INTERRUPTS_OFF,
	TABLE_PREEMPTION_OFF,
	TABLE_IDLE_EXIT,
	TABLE_BLOCK_IO,
	TABLE_BLOCK_SLEEP,
	TABLE_PACKET,
	TABLE_INTERRUPT,
	TABLE_INTERRUPT_SLICE,
	TABLE_SERVER,
	TABLE_REQUEST,
	TABLE_REQUEST_SLEEP,
	TABLE_CALL,
	TABLE_READ_CALL,
	TABLE_PROFILE,
	TABLE_GAP,
	SQL_TABLES,
};

/* Something that a recording may lack, without which columns or rows of a table
 * are not known.
 */
struct sql_need {
	/* the columns that are NULL without it, separated by spaces; NULL:
	 * there are no rows
	 */
	const char *columns;
	/* the only rows that need it, as "timers"; NULL: all */
	const char *rows;
	int event;    /* as in struct table_need */
	int or_event; /* alternative to event; 0: none */
};

#define SQL_COLUMN(number) (UINT64_C(1) << (number))

/* Initializers of struct sql_table. */
#define COLUMN_LIST(list) \
	.columns = (list), .column_count = sizeof(list) / sizeof(*(list))
#define SQL_NEEDS(list) \
	.needs = (list), .need_count = sizeof(list) / sizeof(*(list))

/* A table: its source and the meaning of its columns. */
struct sql_table {
	enum sql_table_id id;
	const char *name;
	const char *meaning;
	const struct column *columns;
	uint32_t column_count;
	/* Estimate of the rows per megabyte of trace, for SQLite's plans. */
	uint32_t rows_per_mb;
	/* The rows depend on all earlier trace. The records that they are made
	 * from are cached beside the recording, so that a window need not
	 * decode it again. NULL: they are not.
	 */
	const struct table_records *records;
	const struct row_source_class *source;
	const struct sql_need *needs; /* needs of all rows first */
	uint32_t need_count;
};

/* Returns the first column of @table with @role, or -1. */
int sql_table_role(const struct sql_table *table, enum column_role role);

/* The tables and columns that a query reads. */
struct sql_reads {
	bool tables[SQL_TABLES];
	uint64_t columns[SQL_TABLES]; /* SQL_COLUMN() of each */
};

/* Returns SQL_COLUMN() of each column of @table that is NULL in all rows
 * because of something that the recording lacks.
 */
uint64_t sql_needs_nulls(const struct sql_table *table,
			 const struct recorded *recorded);

/* Writes which tables and columns of @reads the recording has no data for, and
 * the commands that record them, one line for each command. Writes nothing if
 * nothing is missing. @tables has SQL_TABLES entries.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int sql_needs_explain(const struct sql_table *const *tables,
		      const struct recorded *recorded,
		      const struct sql_reads *reads, FILE *out);

#endif
