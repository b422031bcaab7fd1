/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_ATTRIBUTION_COMMAND_H
#define KT_CMD_ATTRIBUTION_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct attribution_table;
struct call_records_choice;
struct profile_renderer;
struct recorded;
struct report_options;

enum { MOST_TABLES = 24 };

/* A table to report, beside the common options. All pointers but the table may
 * be NULL.
 */
struct attribution_request {
	const struct attribution_table *table;
	/* For profile_table. */
	const struct profile_renderer *renderer;
	const char *argument; /* argument of the table's option */
	const char *sort;     /* a column's name */
	bool with_tracer;     /* include rows of the recorder's tasks */
	bool with_idle;	      /* include kernel threads that wait for work */
	bool is_picture;      /* a picture: has no room for notes */
	bool is_quiet;	      /* no notes on standard error either */
	bool after_hits;      /* print the triggers' hits before the text */
	/* print the explanation before the text, if what it needs was recorded
	 * and no window is chosen, which is read from cached records
	 */
	bool after_explanation;
	/* For call_records_table; the members that common options set are
	 * filled in here.
	 */
	struct call_records_choice *calls;
	/* Of the first request: set to the recording's facts. */
	struct recorded *recorded;
};

/* Fills @count tables, 1 to MOST_TABLES, in one pass over the recording that
 * @options select, and shows them. If there are several, each has its name as a
 * heading.
 *
 * Returns the exit code.
 */
int run_attribution(const struct report_options *options,
		    const struct attribution_request *requests, size_t count);

/* Like run_attribution(), but writes the table of @requests[i] to @outs[i],
 * without a heading.
 */
int run_attributions(const struct report_options *options,
		     const struct attribution_request *requests,
		     FILE *const *outs, size_t count);

#endif
