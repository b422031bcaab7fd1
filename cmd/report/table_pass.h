/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TABLE_PASS_H
#define KT_CMD_TABLE_PASS_H

#include "cmd/report/profile_choice.h"
#include "tables/table.h"

#include <stddef.h>

struct attribution_request;
struct event_handler;
struct session;

/* A table while a pass over a recording fills it. */
struct table_run {
	const struct attribution_request *request;
	struct attribution_output output;
	struct profile_choice profile; /* if it is a profile */
	/* Set by the pass. */
	struct step_filter filter;
	struct attribution_input input;
	struct event_handler *handler;
};

/* Returns the name of the table of @request in options and messages. */
const char *table_run_name(const struct attribution_request *request);

/* Fills the @count tables of @runs in one pass over the recording of @session
 * and shows them in order. If @has_heads, each has its name as a heading, in
 * JSON as a key of an object.
 *
 * Returns 0, or the exit code after a message on standard error.
 */
int table_pass(const struct session *session, struct table_run *runs,
	       size_t count, bool has_heads);

#endif
