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

/* The inputs of rows. All are borrowed. */
struct row_source_input {
	const struct attribution_input *recording; /* the whole recording */
	const struct row_choice *choice;
	struct row_out *const *outs; /* by table; NULL if not wanted */
};

/* Makes the rows of one or more tables while a recording passes. Sums equal
 * those of the reports, because both use the same parts.
 */
struct row_source {
	struct event_handler handler; /* must be the first member */
	/* Rows of a query's window depend on earlier trace, so decoding starts
	 * with the recording. Sums of a window are an exception, as in reports.
	 */
	bool needs_begin;
	/* The source accepts the steps of task_stacks_stop(), which end open
	 * calls at the end of a window; needed for sums.
	 */
	bool takes_stop;
	/* See struct step_callback. This is the last part of a pack; an
	 * incomplete pack leaves the source unchanged. NULL if the source needs
	 * no state or needs the start of the recording.
	 */
	void (*pack)(struct row_source *source, const struct task_pack *tasks);
	/* Returns whether no step at @time_ns or later produces a wanted row.
	 * NULL if any step may.
	 */
	bool (*is_done)(const struct row_source *source, uint64_t time_ns);
	/* Emits the rows that are known only at the end. If the end @is_early,
	 * because is_done() returned true, open items produce no row.
	 *
	 * Returns 0 or -ERROR_MEMORY.
	 */
	int (*end)(struct row_source *source, const struct task_stacks *stacks,
		   bool is_early);
	void (*close)(struct row_source *source);
};

/* The inputs that a source needs. */
enum row_need {
	NEEDS_TRACE,   /* trace and events */
	NEEDS_EVENTS,  /* only the kernel's events: nothing is decoded */
	NEEDS_NOTHING, /* nothing: end() is called immediately */
};

struct row_source_class {
	enum row_need need;
	bool needs_time; /* it joins trace and events by time */
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
