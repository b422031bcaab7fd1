/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_MEASURE_QUERY_H
#define KT_STORE_MEASURE_QUERY_H

#include "common/array.h"
#include "store/ask/measure.h"

#include <stdbool.h>
#include <stdint.h>

struct answer;
struct sqlite3_str;
struct store_target;

/* A selection of durations. */
struct measure_choice {
	const struct measure *measure;
	struct array recordings; /* char *: conditions (recording_filter.h) */
	const char *item;	 /* only this item; NULL: all items */
};

/* Appends "(SELECT recording, item, value…)" with the rows of @choice. @columns
 * names further columns of the measure's table, for example ", begin_ns".
 */
void measure_query_rows(const struct measure_choice *choice,
			const struct store_target *target, const char *columns,
			struct sqlite3_str *query);

/* Runs the query, reads its rows into @answer, and frees the content of @query.
 */
int measure_query_ask(struct store_target *target, struct sqlite3_str *query,
		      struct answer *answer);

/* Counts the recordings of @choice that contain the measure's table. Logs an
 * error (-ERROR_NOT_FOUND) if there are none, and a warning if some cannot be
 * compared because short rows were left out.
 *
 * Returns 0 or a negative enum error, logged to the target's log.
 */
int measure_query_count(const struct measure_choice *choice,
			struct store_target *target, int64_t *with_table);

#endif
