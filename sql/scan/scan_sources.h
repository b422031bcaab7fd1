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

/* The row sources of a scan's tables, each source once. Steps reach them
 * through callback.
 */
struct scan_sources {
	struct step_callback callback;
	struct row_source *sources[SQL_TABLES];
	struct trackers *trackers; /* used by the sources; borrowed */
	size_t count;
	/* the source that can pack its state; or NULL */
	struct row_source *packed;
	enum row_need need; /* the largest need of any source */
	bool needs_begin;   /* true if any source needs it */
	bool takes_stop;    /* true if all sources accept it */
	/* joins steps with the kernel's events; or NULL */
	struct step_join *join;
	const struct row_queue *queue;
	/* Set once the callback reported that it is done. Later steps are not
	 * part of the recording; they only end open calls.
	 */
	bool *is_over;
};

/* Opens the sources of all tables with an out in @input.
 *
 * Returns 0 or -ERROR_MEMORY. Call scan_sources_close() in both cases.
 */
int scan_sources_open(struct scan_sources *sources,
		      const struct row_source_input *input,
		      const struct row_queue *queue, bool *is_over);
void scan_sources_close(struct scan_sources *sources);

/* Emits the events after the last step (all events if there were no steps), and
 * the rows that are known only at the end.
 *
 * Returns 0 or a negative enum error.
 */
int scan_sources_end(struct scan_sources *sources,
		     const struct task_stacks *stacks);

#endif
