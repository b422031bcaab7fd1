/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_TABLES_ROW_SOURCE_H
#define KT_SQL_TABLES_ROW_SOURCE_H

/* Sources of rows: what fills the tables of SQL during a pass over a
 * recording.
 *
 * A source (struct row_source_class, in a *_rows.c) makes the rows of one
 * table, or of several that the same pass finds. table_scan.c opens the
 * sources of the wanted tables, passes the recording's steps and events to
 * their handlers, and calls end(); rows go out through struct row_out, which
 * drops those that the query does not accept.
 *
 * Invariants:
 * 1. The handler is the first member, so that a handler is its source.
 * 2. Rows of a table that is not wanted (its out is NULL) are not made.
 * 3. Sums equal those of the reports: both use the same trackers.
 * 4. A source emits a row as soon as it is complete, except sums, which it
 *    emits at the end.
 */

#include "attribution/events/event_handler.h"
#include "attribution/table_records.h"
#include "common/array.h"
#include "sql/rows/row_out.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct attribution_input;
struct task;
struct task_names;
struct task_pack;
struct task_stacks;

/* The inputs of rows. All are borrowed. */
struct row_source_input {
	const struct attribution_input *recording; /* the whole recording */
	const struct row_choice *choice;
	/* outputs by table; NULL: the table is not wanted */
	struct row_out *const *outs;
};

/* A source: makes the rows of one or more tables during a pass. Sums equal
 * those of the reports, because both use the same trackers.
 */
struct row_source {
	struct event_handler handler; /* must be the first member */
	const struct row_source_class *source_class;
	/* Rows in a query's window depend on earlier trace, so decoding must
	 * start at the start of the recording. Not set for sums, which are made
	 * over the window alone.
	 */
	bool needs_begin;
};

/* The inputs that a source needs. */
enum row_need {
	NEEDS_TRACE,   /* trace and events */
	NEEDS_EVENTS,  /* only the kernel's events: nothing is decoded */
	NEEDS_NOTHING, /* nothing: end() is called immediately */
};

/* The end of a pass. */
struct row_end {
	const struct task_stacks *stacks; /* NULL if nothing was decoded */
	/* is_done() returned true: open items produce no row */
	bool is_early;
};

struct row_source_class {
	enum row_need need;
	bool needs_time; /* it joins trace and events by time */
	/* The source accepts the steps of task_stacks_stop(), which end open
	 * calls at the end of a window; needed for sums.
	 */
	bool takes_stop;
	/* size of the source's struct, which starts with struct row_source */
	size_t size;
	/* Opens the zeroed @source. Returns false when out of memory; close()
	 * is called even then.
	 */
	bool (*open)(struct row_source *source,
		     const struct row_source_input *input);
	/* Packs the source's state; see struct step_callback. The state is the
	 * last part of the pack. A failed read must leave the source as if it
	 * were new. NULL if the source needs no state or needs the start of the
	 * recording.
	 */
	void (*pack)(struct row_source *source, const struct task_pack *tasks);
	/* Returns whether no step at @time_ns or later produces a wanted row.
	 * NULL if any step may.
	 */
	bool (*is_done)(const struct row_source *source, uint64_t time_ns);
	/* Emits the rows that are known only at the end; the caller then
	 * flushes the source's outs. NULL: there are none.
	 *
	 * Returns 0, or -ERROR_MEMORY if the source ever ran out of memory.
	 */
	int (*end)(struct row_source *source, const struct row_end *end);
	/* the owner of the records of its tables, in the source */
	struct owner_place owner;
	/* Frees all that the source owns; NULL: nothing. */
	void (*close)(struct row_source *source);
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
extern const struct row_source_class wait_source;

/* Initializers of the hidden columns that bound the window of a table of sums:
 * its last columns, put by sum_window_put().
 */
#define SUM_WINDOW_COLUMNS \
	NS_COLUMN("since_ns", "hidden argument: the sums start at this time", \
		  .role = ROLE_SINCE), \
		NS_COLUMN("until_ns", \
			  "hidden argument: the sums end before this time; " \
			  "process(1000, 2000) sums that window, like report " \
			  "--since --until", \
			  .role = ROLE_UNTIL)

/* Puts the bounds of @window, limited to INT64_MAX as in the query: SQLite
 * checks that these columns equal the query's arguments.
 */
void sum_window_put(struct row_out *out, const struct time_window *window);

/* A cache of task names, which rarely change. */
struct comm_cache {
	const struct task_names *names; /* borrowed */
	struct array comms;		/* struct cached_comm by task index */
};

struct comm_cache comm_cache_of(const struct task_names *names);
void comm_cache_free(struct comm_cache *cache);

/* Returns the name of @task at @time_ns; never NULL. */
const char *comm_cache_find(struct comm_cache *cache, const struct task *task,
			    uint64_t time_ns);

/* Returns the process of @task if it is known, otherwise -1. */
int32_t task_process(const struct task_names *names, const struct task *task);

/* Returns whether thread @tid belongs to the recorder, which reports omit
 * unless --with-tracer is given.
 */
bool task_is_recorder(const struct attribution_input *input, int32_t tid);

/* Puts the process, the number and the name of thread @task at @time_ns. */
void row_put_task(struct row_out *out, const struct attribution_input *input,
		  const struct task *task, uint64_t time_ns);

/* Puts the name of @function if it @is_known, otherwise NULL. */
void row_put_function(struct row_out *out,
		      const struct attribution_input *input, bool is_known,
		      uint32_t function);

#endif
