/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_ATTRIBUTION_COMMAND_H
#define KT_CMD_ATTRIBUTION_COMMAND_H

#include "report/text/record_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct attribution_input;
struct attribution_table;
struct call_records_choice;
struct report_options;
struct session;
struct task_stacks;
struct event_handler;

/* This is what is wanted beside the common options; all but the table may be
 * NULL.
 */
struct attribution_request {
	const struct attribution_table *table;
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

/* Sends the session's whole recording past the trackers of @input and @handler.
 *
 * Returns 0 and *@stacks as run_pipeline() does, or EXIT_FAILED, standard error
 * knowing why, or a negative enum error.
 */
int run_handler(const struct session *session,
		const struct attribution_input *input,
		struct event_handler *handler, struct task_stacks **stacks);

/* Fills the table from the recording that @options name, and shows it.
 *
 * Returns the exit code.
 */
int run_attribution(const struct report_options *options,
		    const struct attribution_request *request);

/* The same for @count tables, 1 to 4, in one pass: that of @requests[i] goes to
 * @outs[i], in the format that @options name.
 */
int run_attributions(const struct report_options *options,
		     const struct attribution_request *requests,
		     FILE *const *outs, size_t count);

#endif
