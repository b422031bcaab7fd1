/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_ENTRY_STORE_ENTRY_H
#define KT_STORE_ENTRY_STORE_ENTRY_H

/* A store's data about a recording: the columns before the columns of the
 * recording's own table, and the choice of the rows to store.
 *
 * 1. A recording's id is made from its contents: copies at other paths, and
 *    archives, have the same id.
 * 2. Its number is the key of its rows in all other tables of the store.
 * 3. Rows shorter than min_duration_ns are left out only of the tables that
 *    have a duration; the store has min_duration_ns for each recording, so that
 *    readers can judge sums.
 *
 * Texts that are pointers are borrowed.
 */

#include "common/array.h"
#include "sql/rows/row_queue.h"
#include "sql/rows/sql_table.h"

#include <stdbool.h>
#include <stdint.h>

struct log;
struct recording;

/* The version of a store's tables, which consist of a recording's tables and
 * the columns of this header. It changes when a table or column is added,
 * removed, renamed or changes its meaning.
 */
enum { STORE_SCHEMA_VERSION = 7 };

enum { STORE_ID_TEXT = 33, STORE_DAY_TEXT = 11, STORE_HOST_TEXT = 65 };

/* A user-defined label of a recording. */
struct store_label {
	const char *name;
	const char *value;
};

/* A store's data about one recording, besides the recording's own tables. */
struct store_entry {
	char id[STORE_ID_TEXT]; /* content_id_make() */
	/* key of the recording in other tables */
	int64_t number;
	char day[STORE_DAY_TEXT]; /* YYYY-MM-DD, of recorded_s, in UTC */
	/* when the recording's data was last written, seconds since 1970 */
	int64_t recorded_s;
	int64_t added_s;		/* seconds since 1970 */
	char added_on[STORE_HOST_TEXT]; /* the host that has @path */
	const char *path;		/* absolute; borrowed */
	bool wanted[SQL_TABLES];	/* the tables in the store */
	uint64_t min_duration_ns;	/* minimum duration of stored rows */
	const struct array *labels;	/* struct store_label; borrowed */
};

/* The columns of a store's table "recording" that precede those of the
 * recording's own table.
 */
enum store_entry_column {
	ENTRY_RECORDING,
	ENTRY_DAY, /* a Date where the database has that type */
	ENTRY_ID,
	ENTRY_RECORDED,
	ENTRY_ADDED,
	ENTRY_ADDED_ON,
	ENTRY_TABLES,
	ENTRY_MIN_DURATION,
	ENTRY_COLUMNS,
};
extern const struct column store_entry_columns[ENTRY_COLUMNS];

/* Room for the names of all tables, each with commas around it. */
enum { STORE_TABLES_TEXT = 512 };

/* Sets @cells, whose texts are borrowed from @entry and @tables. Writes the
 * text of ENTRY_TABLES to @tables.
 */
void store_entry_cells(const struct store_entry *entry,
		       char tables[STORE_TABLES_TEXT],
		       union sql_cell cells[ENTRY_COLUMNS]);

/* Sets recorded_s and day. The day is 1970-01-01 for times before 1970 or after
 * 2099.
 */
void store_entry_set_time(struct store_entry *entry, int64_t recorded_s);

/* Returns the column of @table with the recording's path, or -1. */
int store_path_column(const struct sql_table *table);

/* Computes the ID of a recording: XXH3's 128 bits, as hexadecimal digits, of
 * its trace and of facts about it (host, kernel, architecture, command, first
 * and last time, number of records). Copies of a recording, and archives, which
 * omit parts of user stacks, have the same ID. The path does not matter.
 *
 * Returns 0; -ERROR_MEMORY; or -ERROR_SYSTEM, logged to @log.
 */
int content_id_make(const struct recording *recording, const struct log *log,
		    char id[STORE_ID_TEXT]);

/* Returns whether rows of table @id are durations, so that short ones may be
 * left out. Gaps are never left out, because missing trace must be visible.
 */
bool row_threshold_applies(enum sql_table_id id);

/* Removes the rows shorter than @min_ns from @chunk. */
void row_threshold_apply(struct row_chunk *chunk, uint64_t min_ns);

#endif
