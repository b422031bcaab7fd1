/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_TOP_SUMS_INTERNAL_H
#define KT_CMD_TOP_TOP_SUMS_INTERNAL_H

/* The sleeps of all rounds of top, added up by program and path to the sleep,
 * as /proc/latency_stats does, in bounded memory: if there are too many paths,
 * the one with the least time is dropped for a new one, and the dropped are
 * counted.
 *
 * The sums contain only the time that was traced, not the pauses between
 * rounds. The text contains the share of the time that was traced; the sums are
 * not extrapolated.
 */

#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output_folder;
struct top_result;

/* Limit on paths. */
enum { TOP_SUMS_MOST = 1024 };

struct top_sums {
	struct array rows; /* struct top_sum, at most TOP_SUMS_MOST */
	uint64_t begin_ns; /* start of the first round; 0: none yet */
	uint64_t seen_ns;  /* end of the last round */
	uint64_t traced_ns;
	uint64_t dropped; /* sleeps on dropped paths */
	uint64_t dropped_ns;
};

#define TOP_SUMS_NONE ((struct top_sums){ .rows = ARRAY_OF(struct top_sum) })

/* One path of one program. */
struct top_sum {
	char *comm;
	char *label; /* the function that decided to wait */
	char *stack; /* "outermost;...;innermost" */
	uint64_t count;
	uint64_t total_ns;
	uint64_t max_ns;
};

/* Adds the round of @result, whose table TOP_SUMS has its sleeps as CSV, and
 * replaces this table by the text of all sums: as JSON or as a table of at most
 * @top rows. The round lasted from @begin_ns to @end_ns, of any clock.
 *
 * Returns 0, or -ERROR_MEMORY: sums may then lack rows, and the text is NULL.
 */
int top_sums_consume(struct top_sums *sums, struct top_result *result,
		     uint64_t begin_ns, uint64_t end_ns, bool is_json,
		     uint64_t top);

/* Writes the file TOP_SUMS_FILE in @folder: a JSON object with the time that was
 * traced, the time since the first round began, what was dropped, and the rows.
 * Returns 0 or an error, which it has logged.
 */
int top_sums_save(const struct top_sums *sums,
		  const struct output_folder *folder);

void top_sums_free(struct top_sums *sums);

#endif
