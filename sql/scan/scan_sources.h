/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SCAN_SOURCES_H
#define KT_SQL_SCAN_SOURCES_H

#include "report/steps/call_step.h"
#include "sql/tables/row_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct step_join;
struct task_stacks;
struct trackers;

/* This is what makes the rows of a scan's tables, each source once; steps go
 * to them through callback.
 */
struct scan_sources {
	struct step_callback callback;
	struct row_source *sources[SQL_TABLES];
	struct trackers *trackers; /* which they follow; borrowed */
	size_t count;
	struct row_source *packed; /* the one that packs; or NULL */
	enum row_need need;	   /* the most that one has */
	bool needs_begin;	   /* one of them does */
	bool takes_stop;	   /* all of them do */
	struct step_join *join;	   /* with the kernel's events; or NULL */
	const struct row_queue *queue;
	/* Set when the callback said that it is done: what comes then is not
	 * of the recording, but ends what goes on.
	 */
	bool *is_over;
};

/* Opens the sources of the tables that have an out in @input.
 *
 * Returns 0 or -ERROR_MEMORY.  Close them either way.
 */
int scan_sources_open(struct scan_sources *sources,
		      const struct row_source_input *input,
		      const struct row_queue *queue, bool *is_over);
void scan_sources_close(struct scan_sources *sources);

/* Hands on the events after the last step, or all if there are no steps, and
 * what is known at the end only.
 *
 * Returns 0 or a negative enum error.
 */
int scan_sources_end(struct scan_sources *sources,
		     const struct task_stacks *stacks);

#endif
