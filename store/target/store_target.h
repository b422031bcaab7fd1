/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_TARGET_H
#define KT_STORE_TARGET_H

#include "sql/rows/row_chunk.h"
#include "store/entry/store_entry.h"

#include <stdbool.h>

struct answer;
struct log;
struct sqlite3_str;
struct store_target;

/* What a database has to do to be a store.  All but close() return 0 or a
 * negative enum error, which was said to the target's log.
 */
struct store_target_class {
	/* In texts between quotes \ begins an escape. */
	bool has_backslashes;

	/* The operator IN before a query.  In a cluster only "GLOBAL IN" asks
	 * that once, of all.
	 */
	const char *in;

	/* Makes it a store if it is empty, refuses it if it is another one's or
	 * of another version, and removes what uploads left that did not end.
	 */
	int (*prepare)(struct store_target *target);

	/* Begins an upload of what @entry says, whose number it sets.
	 * *@is_there: the recording is there already, and no upload has begun.
	 */
	int (*begin)(struct store_target *target, struct store_entry *entry,
		     bool *is_there);

	/* Takes rows of any table but "recording". */
	int (*add)(struct store_target *target, const struct row_chunk *chunk);

	/* Ends the upload: from now on, and not before, readers see it.  @row
	 * is the recording's own.
	 */
	int (*finish)(struct store_target *target,
		      const struct store_entry *entry,
		      const struct row_chunk *row);

	/* Frees what an upload holds, and gives it up unless it was finished.
	 */
	void (*end)(struct store_target *target);

	/* Refuses what is no store of this version; before the first ask(). */
	int (*check)(struct store_target *target);

	/* Asks it, in its own SQL.  @answer is open. */
	int (*ask)(struct store_target *target, const char *query,
		   struct answer *answer);

	void (*close)(struct store_target *target);
};

/* A database that is open. */
struct store_target {
	const struct store_target_class *class;
	const char *name; /* for messages: without a password; borrowed */
	const struct log *log;
};

/* Says that @target has schema version @version, if that is not
 * STORE_SCHEMA_VERSION.  Returns 0 or -ERROR_UNSUPPORTED.
 */
int store_target_check_version(const struct store_target *target,
			       int64_t version);

/* Appends @text as a text of the target's SQL, with its quotes. */
void store_target_quote(const struct store_target *target,
			struct sqlite3_str *query, const char *text);

/* Asks a query in the SQL that all targets have, in which percentile(P, X) is the
 * value that P percent of all X do not exceed, by nearest rank as in reports.
 *
 * Returns 0 and @answer, or a negative enum error said to the target's log;
 * answer_free() it either way.
 */
int store_target_ask(struct store_target *target, const char *query,
		     struct answer *answer);

#endif
