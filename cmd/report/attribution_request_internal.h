/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_REPORT_ATTRIBUTION_REQUEST_INTERNAL_H
#define KT_CMD_REPORT_ATTRIBUTION_REQUEST_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct attribution_table;
struct call_records_choice;
struct profile_renderer;
struct recorded;
struct report_options;

/* A table to report, with the options that only this table has. All pointers
 * may be NULL except the table; a table without a name has a renderer.
 */
struct attribution_request {
	const struct attribution_table *table;
	/* Only for profile_table, else NULL. */
	const struct profile_renderer *renderer;
	const char *argument; /* argument of the table's option */
	const char *sort;     /* a column's name */
	/* the columns that text shows, separated by commas; or NULL */
	const char *columns;
	bool is_wide; /* text shows all columns */
	/* Also gets all rows as CSV, in the same pass; or NULL. */
	FILE *rows;
	bool with_tracer; /* include rows of the recorder's tasks */
	bool with_idle;	  /* include kernel threads that wait for work */
	bool is_picture;  /* a picture: has no room for notes */
	bool is_quiet;	  /* no notes on standard error either */
	/* of the first request: no error if the selection matches nothing */
	bool may_be_empty;
	bool after_hits; /* print the triggers' hits before the text */
	/* print the explanation before the text, if what it needs was recorded.
	 * Not for a window: its rows come from cached records, without the pass
	 * that explains.
	 */
	bool after_explanation;
	/* Only for call_records_table; members that common options set are
	 * filled in by the report.
	 */
	struct call_records_choice *calls;
	/* Used in the first request only: set to what the recording contains. */
	struct recorded *recorded;
};

/* Checks the options before a recording is read. Returns EXIT_OK if @options
 * allow all @count @requests; else EXIT_USAGE, after a message.
 */
int attribution_requests_check(const struct report_options *options,
			       const struct attribution_request *requests,
			       size_t count);

/* Returns the name of @request's table or renderer, for messages. */
const char *attribution_request_name(const struct attribution_request *request);

/* Returns the columns that text shows: those chosen, or the table's few that
 * matter; NULL: all.
 */
const char *
attribution_request_columns(const struct attribution_request *request);

#endif
