/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_TARGET_H
#define KT_STORE_TARGET_H

/* A database that serves as a store: the differences between SQLite and
 * ClickHouse.
 *
 *   to add a recording:  prepare() begin() add()... finish() end()
 *   to query:            check() query()...
 *   last:                close()
 *
 * If begin() fails, or finds that the store already has the recording, none of
 * the three after it is called. end() without finish() discards the rows that
 * add() has sent.
 *
 * Invariants:
 * 1. Readers see a recording only after finish().
 * 2. A query is in the SQL that all databases share, or written with the
 *    members of the class that describe the differences.
 * 3. A function that fails has logged the reason with the name of the target.
 */

#include "sql/rows/row_queue.h"
#include "store/entry/store_entry.h"

#include <stdbool.h>

struct answer;
struct log;
struct sqlite3_str;
struct store_target;

/* The operations of a database that serves as a store. All except end() and
 * close() return 0 or a negative enum error, which they have logged to the
 * target's log.
 */
struct store_target_class {
	/* In quoted texts \ starts an escape, so store_target_quote() doubles
	 * it.
	 */
	bool has_backslashes;

	/* The IN operator before a subquery. In a cluster, "GLOBAL IN" runs the
	 * subquery once and not on each server.
	 */
	const char *in;

	/* Creates the store if the database is empty; fails if it contains
	 * other tables or another version; removes leftovers of unfinished
	 * uploads.
	 */
	int (*prepare)(struct store_target *target);

	/* Starts an upload for @entry and sets its number. If the store already
	 * has the recording, sets *@is_there and starts nothing.
	 */
	int (*begin)(struct store_target *target, struct store_entry *entry,
		     bool *is_there);

	/* Adds rows of any table except "recording". */
	int (*add)(struct store_target *target, const struct row_chunk *chunk);

	/* Ends the upload; only from now on do readers see it. @row is the row
	 * of the recording itself.
	 */
	int (*finish)(struct store_target *target,
		      const struct store_entry *entry,
		      const struct row_chunk *row);

	/* Frees the upload, and discards it unless it was finished. */
	void (*end)(struct store_target *target);

	/* Fails if the database is not a store of this version. Must be called
	 * before the first query().
	 */
	int (*check)(struct store_target *target);

	/* Runs a query in the database's own SQL. @answer must be open. */
	int (*query)(struct store_target *target, const char *query,
		     struct answer *answer);

	void (*close)(struct store_target *target);
};

/* An open database. */
struct store_target {
	const struct store_target_class *class;
	const char *name; /* for messages, without a password; borrowed */
	const struct log *log;
};

/* Logs an error if @version, the schema version of @target, is not
 * STORE_SCHEMA_VERSION. Returns 0 or -ERROR_UNSUPPORTED.
 */
int store_target_check_version(const struct store_target *target,
			       int64_t version);

/* Appends @text, quoted for the target's SQL. */
void store_target_quote(const struct store_target *target,
			struct sqlite3_str *query, const char *text);

/* Makes sqlite3_str_finish() of @query return NULL, as if memory had run out
 * for the query itself.
 */
void store_target_fail(struct sqlite3_str *query);

/* Runs a query in the SQL that all targets share. percentile(P, X) is the value
 * that P percent of all X do not exceed, by nearest rank as in reports.
 *
 * Returns 0 and @answer, or a negative enum error logged to the target's log.
 * Call answer_free() in both cases.
 */
int store_target_query(struct store_target *target, const char *query,
		       struct answer *answer);

#endif
