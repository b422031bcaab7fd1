/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_ASK_MEASURE_QUERY_H
#define KT_STORE_ASK_MEASURE_QUERY_H

/* The common parts of the queries of `store report`, `store diff` and `store
 * slow`: the measure (struct measure), the conditions on recordings, and the
 * SQL for both.
 *
 * 1. The SQL is in the subset that SQLite and ClickHouse share.
 * 2. Values that users give are quoted by the database's own rule
 *    (store_target_quote()).
 * 3. A condition is on a column of "recording" or, if there is no column of
 *    that name, on a label.
 *
 * Functions append to a query of the caller. sqlite3_str remembers that memory
 * ran out; measure_query_run() reports it.
 */

#include "common/array.h"
#include "sql/rows/sql_table.h"

#include <stdbool.h>
#include <stdint.h>

struct answer;
struct sqlite3_str;
struct store_target;

/* A kind of duration: its table, and a condition on the rows that count. As in
 * reports, these are complete rows, without those of the recorder.
 */
struct measure {
	const char *name; /* the argument of --of */
	enum sql_table_id table;
	const char *item_name; /* name of the item's column in results */
	const char *item;      /* an SQL expression */
	const char *value;     /* a column, ns */
	const char *end;       /* the end: an SQL expression, ns */
	const char *condition;
};

/* Returns measure @index, or NULL if @index is past the last measure. */
const struct measure *measure_at(size_t index);

/* Returns the measure with name @name, or NULL. */
const struct measure *measure_find(const char *name);

/* Conditions on recordings, all of which must hold. Each is a text "KEY=VALUE";
 * KEY is a column of "recording" or the name of a label. For the key "kernel",
 * VALUE is a release, or the start of one before a ".", "-" or "+": 6.1 matches
 * 6.1.0-50-amd64, but not 6.12.
 */

/* Returns whether @text is a condition. */
bool recording_filter_is(const char *text);

/* Returns whether @name is a column by which recordings can be selected and
 * grouped. Otherwise it is a label.
 */
bool recording_filter_is_column(const char *name);

/* Appends the @conditions (char *; may be empty) as " AND (…) AND (…)" to a
 * query of the table "recording".
 */
void recording_filter_append(const struct array *conditions,
			     const struct store_target *target,
			     struct sqlite3_str *query);

/* A selection of durations. */
struct measure_choice {
	const struct measure *measure;
	struct array recordings; /* char *: conditions (recording_filter_is()) */
	const char *item;	 /* only this item; NULL: all items */
};

/* Appends "(SELECT recording, item, value…)" with the rows of @choice. @columns
 * names further columns of the measure's table, for example ", begin_ns".
 */
void measure_query_rows(const struct measure_choice *choice,
			const struct store_target *target, const char *columns,
			struct sqlite3_str *query);

/* Runs the query, reads its rows into @answer, and frees @query. Returns like
 * store_target_query(). Call answer_free() in all cases.
 */
int measure_query_run(struct store_target *target, struct sqlite3_str *query,
		      struct answer *answer);

/* Sets *@with_table to the number of recordings of @choice that contain the
 * measure's table. Logs an error (-ERROR_NOT_FOUND) if there are none, and
 * warnings if some recordings lack the table or were added without the rows
 * that are shorter than the store's threshold.
 *
 * Returns 0 or a negative enum error, logged to the target's log.
 */
int measure_query_count(const struct measure_choice *choice,
			struct store_target *target, int64_t *with_table);

#endif
