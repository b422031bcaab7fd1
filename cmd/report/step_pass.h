/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_STEP_PASS_H
#define KT_CMD_STEP_PASS_H

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>

struct event_handler;
struct table_run;
struct trackers;

/* Hands steps, and nothing else, to tables that need nothing else (is_done in
 * tables/table.h): a window then begins at a checkpoint, and ends when all of them
 * are done.
 */
struct step_pass {
	struct step_callback callback; /* first */
	struct event_handler *const *handlers;
	size_t handler_count;
	const struct table_run *runs;
	size_t count;
};

/* Returns whether all @count tables of @runs are such. */
bool step_pass_is_enough(const struct table_run *runs, size_t count);

/* Returns the pass of @trackers for these tables, which are open.  Borrows all. */
struct step_pass step_pass_of(const struct trackers *trackers,
			      const struct table_run *runs, size_t count);

#endif
