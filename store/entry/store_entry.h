/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_ENTRY_H
#define KT_STORE_ENTRY_H

#include "common/array.h"
#include "sql/rows/row_chunk.h"

#include <stdbool.h>
#include <stdint.h>

/* The version of a store's tables: those of a recording with what is added
 * here.  It changes when a table or column of either comes, goes away, is
 * renamed or means something else.
 */
enum { STORE_SCHEMA_VERSION = 3 };
_Static_assert(SQL_SCHEMA_VERSION == 3,
	       "a store's version changes with that of recordings");

enum { STORE_ID_TEXT = 33, STORE_DAY_TEXT = 11, STORE_HOST_TEXT = 65 };

/* Something that users say of a recording. */
struct store_label {
	const char *name;
	const char *value;
};

/* What a store has of one recording beside the recording's own tables. */
struct store_entry {
	char id[STORE_ID_TEXT];		/* content_id.h */
	int64_t number;			/* by which other tables name it */
	char day[STORE_DAY_TEXT];	/* YYYY-MM-DD, of recorded_s, in UTC */
	int64_t recorded_s;		/* when it ended, since 1970 */
	int64_t added_s;		/* likewise */
	char added_on[STORE_HOST_TEXT]; /* the host where path is */
	const char *path;		/* absolute; borrowed */
	bool wanted[SQL_TABLES];	/* the tables that are kept */
	uint64_t min_duration_ns;	/* of rows that are kept */
	const struct array *labels;	/* struct store_label; borrowed */
};

/* The columns that the table "recording" of a store has before those of a
 * recording's own one.
 */
enum store_entry_column {
	ENTRY_RECORDING,
	ENTRY_DAY, /* of its own type where a database has one for days */
	ENTRY_ID,
	ENTRY_RECORDED,
	ENTRY_ADDED,
	ENTRY_ADDED_ON,
	ENTRY_TABLES,
	ENTRY_MIN_DURATION,
	ENTRY_COLUMNS,
};
extern const struct sql_column store_entry_columns[ENTRY_COLUMNS];

/* Room for the names of all tables with commas around them. */
enum { STORE_TABLES_TEXT = 256 };

/* Sets @cells; the text of ENTRY_TABLES goes to @tables. */
void store_entry_cells(const struct store_entry *entry,
		       char tables[STORE_TABLES_TEXT],
		       union sql_cell cells[ENTRY_COLUMNS]);

/* Sets recorded_s and the day of it. */
void store_entry_set_time(struct store_entry *entry, int64_t recorded_s);

/* Returns the column of @table that holds its recording's path, or -1. */
int store_path_column(const struct sql_table *table);

#endif
