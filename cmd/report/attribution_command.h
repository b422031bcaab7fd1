/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_ATTRIBUTION_COMMAND_H
#define KT_CMD_ATTRIBUTION_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct attribution_table;
struct call_records_choice;
struct profile_renderer;
struct report_options;

enum { MOST_TABLES = 24 };

/* This is what is wanted beside the common options; all but the table may be
 * NULL.
 */
struct attribution_request {
	const struct attribution_table *table;
	/* Of profile_table. */
	const struct profile_renderer *renderer;
	const char *argument; /* of the table's option */
	const char *sort;     /* a column's name */
	bool with_tracer;     /* rows of the recorder's tasks, too */
	bool with_idle;	      /* kernel threads that wait for work, too */
	bool is_picture;      /* no place for notes in it */
	bool is_quiet;	      /* nor wanted elsewhere */
	bool after_hits;      /* text begins with the triggers' hits */
	/* For call_records_table, with what the common options say filled in
	 * here.
	 */
	struct call_records_choice *calls;
};

/* Fills @count tables, 1 to MOST_TABLES, from the recording that @options name, all
 * in one pass, and shows them.  Several have their names as heads.
 *
 * Returns the exit code.
 */
int run_attribution(const struct report_options *options,
		    const struct attribution_request *requests, size_t count);

/* The same, but that of @requests[i] goes to @outs[i], and has no head. */
int run_attributions(const struct report_options *options,
		     const struct attribution_request *requests,
		     FILE *const *outs, size_t count);

#endif
