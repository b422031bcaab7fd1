/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_REPORT_H
#define KT_STORE_REPORT_H

#include "store/ask/measure_query.h"

/* The maximum number of keys for grouping rows. */
enum { STORE_MOST_KEYS = 8 };

struct store_report {
	struct measure_choice choice;
	/* "item", a column of recordings (measure_query.h), "comm", or the
	 * name of a label.
	 */
	const char *keys[STORE_MOST_KEYS];
	size_t key_count;
	uint64_t top; /* number of rows; UINT64_MAX: all */
};

/* Reports durations by the keys: recordings, count, sum, percentiles.
 *
 * Returns 0 and @answer, or a negative enum error logged to the target's log.
 * Call answer_free() after success.
 */
int store_report_ask(const struct store_report *report,
		     struct store_target *target, struct answer *answer);

#endif
