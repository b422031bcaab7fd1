/* SPDX-License-Identifier: MIT */
#ifndef KT_ROWS_COLUMN_H
#define KT_ROWS_COLUMN_H

/* The definition of a column: its name, type, unit and meaning, and how its
 * value is made from the struct of a row. Each table has one list of these.
 * Everything that uses columns reads that list:
 *
 *	sql/tables ──► struct sql_table ─────────► SQLite's virtual tables,
 *	                 │                         exports, ClickHouse's DDL
 *	                 └─► enum column_role: the window of a query, and rows to
 *	                     drop early
 *	tables ──────► struct attribution_table ─► text, CSV and JSON of report,
 *	                                           --columns, --sort
 *
 * A row of SQL is one event or one account; most rows of report are sums of
 * many. The two have columns of the same kind, and lists of their own, except
 * where the rows are the same.
 *
 * 1. Lists are constant; a list of report ends with END_OF_COLUMNS.
 * 2. Values of VALUE_PUT are put by SQL's row sources, in the order of columns.
 *    Values of the kinds from VALUE_WRITTEN on are made by functions of report.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum column_type { COLUMN_INTEGER, COLUMN_REAL, COLUMN_TEXT };

/* The work that a constraint of a query on a column can save. */
enum column_role {
	NO_ROLE,
	ROLE_BEGIN, /* ns: decoding starts late */
	ROLE_END,   /* ns: decoding ends early, but does not start late */
	ROLE_TIME,  /* ns: decoding starts late and ends early */
	ROLE_CPU,   /* rejected rows are dropped early */
	ROLE_TID,   /* rejected rows are dropped early */
	ROLE_PID,
	ROLE_FUNCTION,
	ROLE_SINCE, /* hidden column: bounds the window of sums */
	ROLE_UNTIL,
};

/* The source of a column's values. */
enum column_value {
	VALUE_PUT, /* row_put_number() and so on, in the order of columns */
	/* a member of the struct that row_out_start() receives, by its type */
	VALUE_64,
	VALUE_U32,
	VALUE_I32,
	VALUE_8,
	VALUE_REAL,
	VALUE_TEXT,
	VALUE_ID, /* int32_t; negative is NULL */
	/* made by a function of report */
	VALUE_WRITTEN,
	VALUE_PRINTED,
	VALUE_NAMED,
	VALUE_COUNTED,
};

/* The rows of report that have a column. */
enum column_rows {
	COLUMN_ALWAYS,
	COLUMN_OF_GROUPS, /* rows of groups: only with --by */
	COLUMN_OF_TASKS,  /* rows of tasks: only without --by */
	COLUMN_OF_DATA,	  /* only in CSV and JSON, not in text */
};

struct column;
struct column_row;
struct record_writer;

/* Writes the field of @column in @row. */
typedef void column_write(struct record_writer *writer,
			  const struct column *column,
			  const struct column_row *row);

/* Writes the text of the field to @out; @row is a struct column_row. Returns
 * false if there is none.
 */
typedef bool column_print(FILE *out, const void *row);

/* Returns the text of the field, valid until the next call; NULL if it is
 * absent.
 */
typedef const char *column_text(const struct column_row *row);

/* Returns the number of the field. */
typedef uint64_t column_number(const struct column_row *row);

struct column {
	const char *name;
	enum column_type type;
	enum column_role role;
	const char *unit; /* "" if it has no unit */
	const char *meaning;
	enum column_value value;
	uint32_t offset; /* offset of the member; for VALUE_PUT unused */
	/* Members of report's columns only. */
	enum column_rows rows;
	/* The value is known if this bool of the table's state is set, and
	 * otherwise left out in text; 0: it is always known.
	 */
	uint32_t known_by;
	/* The rows have the column if this bool is set; 0: always. */
	uint32_t shown_by;
	union {
		column_write *write;   /* VALUE_WRITTEN */
		column_print *print;   /* VALUE_PRINTED */
		column_text *text;     /* VALUE_NAMED */
		column_number *number; /* VALUE_COUNTED */
	};
};

/* Initializers of columns, whose last arguments are further members: .role, and
 * MEMBER() or ID_MEMBER() unless values are put.
 */
#define COLUMN_OF(type_, unit_, name_, meaning_, ...) \
	{ \
		.name = (name_), .type = (type_), .unit = (unit_), \
		.meaning = (meaning_), __VA_ARGS__ \
	}
#define INT_COLUMN(...) COLUMN_OF(COLUMN_INTEGER, "", __VA_ARGS__)
#define NS_COLUMN(...) COLUMN_OF(COLUMN_INTEGER, "ns", __VA_ARGS__)
#define BYTES_COLUMN(...) COLUMN_OF(COLUMN_INTEGER, "bytes", __VA_ARGS__)
#define REAL_COLUMN(...) COLUMN_OF(COLUMN_REAL, "", __VA_ARGS__)
#define TEXT_COLUMN(...) COLUMN_OF(COLUMN_TEXT, "", __VA_ARGS__)

#define MEMBER(type, member) \
	.value = _Generic(((type *)0)->member, \
		uint64_t: VALUE_64, int64_t: VALUE_64, uint32_t: VALUE_U32, \
		int32_t: VALUE_I32, uint8_t: VALUE_8, bool: VALUE_8, \
		double: VALUE_REAL, const char *: VALUE_TEXT, \
		char *: VALUE_TEXT), \
	.offset = offsetof(type, member)
#define ID_MEMBER(type, member) \
	.value = _Generic(((type *)0)->member, int32_t \
			  : VALUE_ID), \
	.offset = offsetof(type, member)

/* Like MEMBER(), for columns whose field a function of report makes;
 * WRITTEN_OF() also names the member that it reads.
 */
#define WRITTEN(function) .value = VALUE_WRITTEN, .write = (function)
#define WRITTEN_OF(function, type, member) \
	WRITTEN(function), .offset = offsetof(type, member)
#define PRINTED(function) .value = VALUE_PRINTED, .print = (function)
#define NAMED(function) .value = VALUE_NAMED, .text = (function)
#define COUNTED(function) .value = VALUE_COUNTED, .number = (function)

/* Initializers of known_by and shown_by: the state's first member is its
 * handler, so that no offset is 0.
 */
#define KNOWN_BY(type, member) .known_by = offsetof(type, member)
#define SHOWN_BY(type, member) .shown_by = offsetof(type, member)

/* The end of a list of report's columns. */
#define END_OF_COLUMNS \
	{ \
		.name = NULL \
	}

/* Initializers of a list of SQL's columns, and of their number. */
#define COLUMN_LIST(list) \
	.columns = (list), .column_count = sizeof(list) / sizeof(*(list))

/* Returns whether a column of @role is a time of its row. */
static inline bool column_role_is_time(enum column_role role)
{
	return role == ROLE_BEGIN || role == ROLE_END || role == ROLE_TIME;
}

/* Returns whether "SELECT *" omits a column. */
static inline bool column_is_hidden(const struct column *column)
{
	return column->role == ROLE_SINCE || column->role == ROLE_UNTIL;
}

#endif
