/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROW_SOURCE_H
#define KT_SQL_ROW_SOURCE_H

#include "attribution/events/event_handler.h"
#include "sql/rows/row_choice.h"
#include "sql/rows/row_out.h"

#include <stdbool.h>
#include <stdint.h>

struct attribution_input;
struct task_pack;
struct task_stacks;

/* This is what rows are made from.  All borrowed. */
struct row_source_input {
	const struct attribution_input *recording; /* all of it */
	const struct row_choice *choice;
	struct row_out *const *outs; /* by table; NULL: not wanted */
};

/* Makes the rows of one table or several as a recording passes.  The sums are
 * those of the reports: they are made of the same parts.
 */
struct row_source {
	struct event_handler handler; /* first */
	/* What was before a query's window changes its rows there: decoding
	 * begins with the recording.  But of sums of a window, as in reports.
	 */
	bool needs_begin;
	/* Steps of task_stacks_stop() count, too, which end at a window's end
	 * what goes on there: for sums.
	 */
	bool takes_stop;
	/* See struct step_callback, of which this is the last part: a pack that
	 * is not whole then leaves the source as it was.  NULL: it needs
	 * nothing, or the recording's begin.
	 */
	void (*pack)(struct row_source *source, const struct task_pack *tasks);
	/* Returns whether no step at @time_ns or later makes a wanted row.
	 * NULL: any may.
	 */
	bool (*is_done)(const struct row_source *source, uint64_t time_ns);
	/* Hands on what is known at the end only.  If the end @is_early,
	 * because it was done, what is still open is no row.
	 *
	 * Returns 0 or -ERROR_MEMORY.
	 */
	int (*end)(struct row_source *source, const struct task_stacks *stacks,
		   bool is_early);
	void (*close)(struct row_source *source);
};

/* This is what has to pass for rows to come. */
enum row_need {
	NEEDS_TRACE,   /* all */
	NEEDS_EVENTS,  /* the kernel's events: nothing is decoded */
	NEEDS_NOTHING, /* it is asked for its end at once */
};

struct row_source_class {
	enum row_need need;
	bool needs_time; /* it joins the trace with events, by time */
	/* Returns NULL when out of memory. */
	struct row_source *(*open)(const struct row_source_input *input);
};

extern const struct row_source_class recording_source;
extern const struct row_source_class function_source;
extern const struct row_source_class account_source;
extern const struct row_source_class span_source;
extern const struct row_source_class watch_source;
extern const struct row_source_class wakeup_source;
extern const struct row_source_class server_source;
extern const struct row_source_class request_source;
extern const struct row_source_class lock_source;
extern const struct row_source_class slice_source;
extern const struct row_source_class call_source;
extern const struct row_source_class profile_source;
extern const struct row_source_class cpu_source;

static inline struct row_source *row_source_of(struct event_handler *handler)
{
	return (struct row_source *)handler;
}

#endif
