/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TABLE_PASS_H
#define KT_CMD_TABLE_PASS_H

#include "cmd/report/profile_choice.h"
#include "tables/table.h"

#include <stddef.h>

struct attribution_request;
struct event_handler;
struct session;

/* A table on its way through a pass over a recording. */
struct table_run {
	const struct attribution_request *request;
	struct attribution_output output;
	struct profile_choice profile; /* of a profile */
	/* These are the pass's. */
	struct step_filter filter;
	struct attribution_input input;
	struct event_handler *handler;
};

/* Returns what the options and messages call the table of @request. */
const char *table_run_name(const struct attribution_request *request);

/* Fills the @count tables of @runs in one pass over the recording of @session, and
 * shows them, one after the other; @has_heads: with their names, in JSON as the
 * keys of an object.
 *
 * Returns 0, or the exit code to end with; standard error knows why.
 */
int table_pass(const struct session *session, struct table_run *runs,
	       size_t count, bool has_heads);

#endif
