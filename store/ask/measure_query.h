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

/* Which durations are asked for. */
struct measure_choice {
	const struct measure *measure;
	struct array recordings; /* char *: recording_filter.h */
	const char *item;	 /* this one alone; NULL: all */
};

/* Appends "(SELECT recording, item, value…)": the rows that @choice wants; with
 * @columns of the measure's table, as ", begin_ns", too.
 */
void measure_query_rows(const struct measure_choice *choice,
			const struct store_target *target, const char *columns,
			struct sqlite3_str *query);

/* Asks and frees what @query holds. */
int measure_query_ask(struct store_target *target, struct sqlite3_str *query,
		      struct answer *answer);

/* Counts the recordings that @choice has: all, those that hold its table, and of
 * these those without short rows.
 *
 * Returns 0 or a negative enum error, said to the target's log, which is also
 * told if there are none, -ERROR_NOT_FOUND, or if some cannot be compared.
 */
int measure_query_count(const struct measure_choice *choice,
			struct store_target *target, int64_t *with_table);

#endif
