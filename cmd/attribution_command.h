/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_ATTRIBUTION_COMMAND_H
#define KT_CMD_ATTRIBUTION_COMMAND_H

#include <stdbool.h>

struct attribution_table;
struct call_records_choice;
struct report_options;

/* What is wanted beside the common options; all but the table may be NULL. */
struct attribution_request {
	const struct attribution_table *table;
	const char *argument;	/* of the table's option */
	const char *sort;	/* a column's name */
	bool with_tracer;	/* rows of the recorder's tasks, too */
	bool is_picture;	/* no place for notes in it */
	/* For call_records_table, with what the common options say filled in
	 * here.
	 */
	struct call_records_choice *calls;
};

/* Fills the table from the recording that @options name, and shows it.
 *
 * Returns the exit code.
 */
int run_attribution(const struct report_options *options,
		    const struct attribution_request *request);

#endif
