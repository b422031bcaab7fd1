/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_TABLE_H
#define KT_SQL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of the schema: changed when a table or column comes, goes away,
 * is renamed or means something else.
 */
enum { SQL_SCHEMA_VERSION = 3 };

enum sql_type { SQL_INTEGER, SQL_REAL, SQL_TEXT };

/* This is what a constraint on a column can save. */
enum sql_role {
	ROLE_NONE,
	ROLE_BEGIN, /* ns: decoding begins late */
	ROLE_END,   /* ns: decoding ends early; does not begin late */
	ROLE_TIME,  /* ns: both */
	ROLE_CPU,   /* rows are dropped where they are made */
	ROLE_TID,   /* likewise, as are the others */
	ROLE_PID,
	ROLE_FUNCTION,
	ROLE_SINCE, /* a hidden column: sums of a window alone */
	ROLE_UNTIL,
};

struct sql_column {
	const char *name;
	enum sql_type type;
	enum sql_role role;
	const char *unit; /* "" if it has none */
	const char *meaning;
};

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
	TABLE_INTERRUPT,
	TABLE_INTERRUPT_SLICE,
	TABLE_SERVER,
	TABLE_REQUEST,
	TABLE_REQUEST_SLEEP,
	TABLE_CALL,
	TABLE_PROFILE,
	TABLE_GAP,
	SQL_TABLES,
};

struct row_source_class;

/* A table: what it is made of and what its columns mean. */
struct sql_table {
	enum sql_table_id id;
	const char *name;
	const char *meaning;
	const struct sql_column *columns;
	uint32_t column_count;
	/* How many rows a megabyte of trace may have, for SQLite's plans. */
	uint32_t rows_per_mb;
	/* Its rows depend on all that was before: they are kept beside the
	 * recording, so that a window need not be made of it again.
	 */
	bool is_kept;
	const struct row_source_class *source;
};

/* Returns the first column of @table that has @role, or -1. */
int sql_table_role(const struct sql_table *table, enum sql_role role);

/* Returns whether a column of @role has a time of its row. */
static inline bool sql_role_is_time(enum sql_role role)
{
	return role == ROLE_BEGIN || role == ROLE_END || role == ROLE_TIME;
}

/* Returns whether a column is not among those of "SELECT *". */
static inline bool sql_column_is_hidden(const struct sql_column *column)
{
	return column->role == ROLE_SINCE || column->role == ROLE_UNTIL;
}

#endif
