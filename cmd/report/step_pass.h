/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_STEP_PASS_H
#define KT_CMD_STEP_PASS_H

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>

struct event_handler;
struct table_run;
struct trackers;

/* Passes steps to tables that need only steps (is_done in tables/table.h). A
 * window can then start at a checkpoint, and decoding ends when all tables are
 * done.
 */
struct step_pass {
	struct step_callback callback; /* first */
	struct event_handler *const *handlers;
	size_t handler_count;
	const struct table_run *runs;
	size_t count;
};

/* Returns whether all @count tables of @runs need only steps. */
bool step_pass_is_enough(const struct table_run *runs, size_t count);

/* Returns the pass with @trackers for these tables, which must be open. Borrows
 * all arguments.
 */
struct step_pass step_pass_of(const struct trackers *trackers,
			      const struct table_run *runs, size_t count);

#endif
