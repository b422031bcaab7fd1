/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TABLE_H
#define KT_TABLES_TABLE_H

#include "attribution/attribution_input.h"
#include "report/steps/task_stacks.h"
#include "report/text/record_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_handler;
struct name_choice;
struct table_records;

/* Which system calls timeline --syscalls shows, and how. */
struct call_records_choice {
	/* Of the calls or their functions; NULL: any. */
	const struct name_choice *names;
	uint64_t min_ns;
	uint64_t max_count;
	uint32_t max_depth;	   /* of the call trace */
	enum record_format format; /* not RECORD_CSV */
	bool details;		   /* of text: all, not a line a call */
	FILE *out;
};

/* How to show it. */
struct attribution_output {
	FILE *out;
	enum record_format format;
	const char *sort;  /* a column's name; NULL: the table's own */
	uint64_t top;	   /* rows wanted */
	const char *title; /* of a picture; NULL: its own */
	const struct task_stacks *stacks; /* of the finished run */
};

/* A report that needs the steps and the kernel's events together: an option
 * of `ktrace-hw report`.
 */
struct attribution_table {
	const char *name; /* of the option */
	/* The option takes this, for --help; "A B" are two, handed over as
	 * "A,B"; "[A]" may be left out, and is NULL then; NULL: nothing.
	 */
	const char *argument;
	const char *help;
	/* What --sort takes: all columns that there may be, with spaces between;
	 * NULL: the table has an order of its own.  Which of them a recording and
	 * a format have is known as it is rendered.
	 */
	const char *columns;
	/* The rows are tasks': the recorder's are left out (--with-tracer). */
	bool is_of_tasks;
	bool says_left_out; /* itself, by how many rows those are */
	/* The rows may be by input.groups (--by). */
	bool has_groups;
	/* Looks at the argument before anything else; NULL: all are fine.
	 *
	 * Returns whether it can be used; else writes to @message why not.
	 */
	bool (*check)(const struct attribution_input *input, char *message,
		      size_t size);
	/* Of what a table keeps, which begins with what sees the recording pass. */
	size_t size;
	/* Makes that of @handler, which is zeroed.  Returns false when out of memory:
	 * it is closed all the same.
	 */
	bool (*open)(struct event_handler *handler,
		     const struct attribution_input *input);
	/* Shows what was seen.  Columns that the recording cannot fill are
	 * named, with the option of record that would fill them.
	 *
	 * Returns 0, -ERROR_MEMORY (also if open(), step() or event() ran out
	 * of it), -ERROR_NOT_FOUND if there is no column called sort.
	 */
	int (*render)(struct event_handler *handler,
		      const struct attribution_output *output);
	void (*close)(struct event_handler *handler);
	/* Of one that is made of steps, whose window needs the functions that are
	 * open as it begins and nothing else of what was before: returns whether no
	 * step at @time_ns or later would change anything.  NULL: it needs more.
	 */
	bool (*is_done)(const struct event_handler *handler, uint64_t time_ns);
	/* How what it takes is kept (tables/table_records.h); NULL: it is not. */
	const struct table_records *records;
};

/* Returns whether @table may have a column called @name. */
bool attribution_table_has_column(const struct attribution_table *table,
				  const char *name);

/* Opens @table, which sees the pass of input->trackers then.  Returns NULL when out
 * of memory.
 */
struct event_handler *
attribution_table_open(const struct attribution_table *table,
		       const struct attribution_input *input);
void attribution_table_close(const struct attribution_table *table,
			     struct event_handler *handler); /* or NULL */

/* Not an option of report: timeline --syscalls.  It writes as the recording
 * passes, to input.calls->out.
 */
extern const struct attribution_table call_records_table;

extern const struct attribution_table processes_table;
extern const struct attribution_table threads_table;
extern const struct attribution_table servers_table;
extern const struct attribution_table requests_table;
extern const struct attribution_table syscalls_table;
extern const struct attribution_table sleeps_table;
extern const struct attribution_table runqueue_table;
extern const struct attribution_table locks_table;
extern const struct attribution_table interrupts_table;
extern const struct attribution_table latency_table;
extern const struct attribution_table relations_table;
extern const struct attribution_table call_sites_table;
extern const struct attribution_table crashes_table;
extern const struct attribution_table hits_table;

/* Returns table @index, in the order of --help; NULL after the last. */
const struct attribution_table *attribution_table_at(size_t index);

#endif
