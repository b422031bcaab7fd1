/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TABLE_H
#define KT_TABLES_TABLE_H

/* Tables: options of report whose rows are made from call events and the
 * kernel's events together. table.c lists them; --help and completion follow
 * that list.
 *
 *	check() --> open() --> pass --> render() --> close()
 *
 * The pass gives the recording's events to the table's struct event_handler.
 * For a window it is replaced by the records of an earlier pass, if there are
 * any (table_records.h).
 *
 * Invariants:
 * 1. close() is called once after open(), even if that failed, on a state that
 *    was zeroed before open().
 * 2. The input's filter and window choose the rows.
 * 3. A window made from records has the rows that a pass over the recording
 *    would give.
 * 4. A column that the recording cannot fill is named below the table, with the
 *    command that would record it (text/recorded.h): never silently 0.
 *
 * Errors: a table keeps the first -ERROR_MEMORY of its pass until render().
 */

#include "attribution/attribution_input.h"
#include "attribution/table_records.h"
#include "report/steps/task_stacks.h"
#include "report/text/record_writer.h"
#include "rows/column.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_handler;
struct name_choice;
struct table_need;

/* The system calls that timeline --syscalls shows, and their format. */
struct call_records_choice {
	/* Names of calls or of their functions; NULL: any. */
	const struct name_choice *names;
	uint64_t min_ns;
	uint64_t max_count;
	uint32_t max_depth;	   /* of the call trace */
	enum record_format format; /* not RECORD_CSV */
	bool details;		   /* text: full records, not a line a call */
	FILE *out;
};

/* Output options. */
struct attribution_output {
	FILE *out;
	enum record_format format;
	bool is_quiet;	  /* no notes on standard error */
	bool is_verbose;  /* also lists the columns in which all values are 0 */
	const char *sort; /* column name; NULL: the table's default */
	const char *shown; /* columns of text (record_writer.shown); or NULL */
	bool is_brief;	   /* @shown is the table's brief */
	uint64_t top;	   /* maximum number of rows */
	const char *title; /* of an image; NULL: the default */
	const struct task_stacks *stacks; /* of the finished pass */
	/* set if the table has no rows, whatever the format; NULL: not wanted
	 */
	bool *is_empty;
};

/* A report that needs call events and the kernel's events together: an option
 * of `ktrace-hw report`.
 */
struct attribution_table {
	const char *name; /* of the option */
	/* The option's argument, for --help; "A B" are two, passed as "A,B";
	 * "[A]" is optional, and NULL if missing; NULL: no argument.
	 */
	const char *argument;
	const char *help;
	/* All columns that the rows may have; NULL: the order is fixed. Which
	 * of them a recording and a format have is known only while rendering.
	 */
	const struct column *columns;
	/* The data that the rows need (tables/text/recorded.h); NULL: the table
	 * explains itself.
	 */
	const struct table_need *needs;
	size_t need_count;
	/* the text for a table without rows: see recorded_table() */
	const char *none;
	/* The columns that text shows without --wide and --columns, separated
	 * by commas; NULL: all.
	 */
	const char *brief;
	/* The error that the argument names nothing in the recording, without
	 * its name; NULL: render() does not return that.
	 */
	const char *missing;
	/* Rows are tasks: the recorder's are left out (--with-tracer). */
	bool is_of_tasks;
	bool writes_left_out; /* prints the number of rows left out itself */
	/* The rows may be grouped by input.groups (--by). */
	bool has_groups;
	/* Validates the argument before anything else; NULL: all are valid.
	 *
	 * Returns whether it is valid; if not, writes the reason to @message.
	 */
	bool (*check)(const struct attribution_input *input, char *message,
		      size_t size);
	/* Size of the table's state, whose first member is its struct
	 * event_handler.
	 */
	size_t size;
	/* Initializes the zeroed state at @handler. Returns false when out of
	 * memory; close() is called even then.
	 */
	bool (*open)(struct event_handler *handler,
		     const struct attribution_input *input);
	/* Writes the table. Columns that the recording cannot fill are named,
	 * with the option of record that would fill them.
	 *
	 * Returns 0, -ERROR_MEMORY (also if open(), step() or event() ran out
	 * of it), -ERROR_NOT_FOUND if @output->sort is not a column's name, or,
	 * with member missing, the argument names nothing.
	 */
	int (*render)(struct event_handler *handler,
		      const struct attribution_output *output);
	void (*close)(struct event_handler *handler);
	/* For tables made from call events alone, whose windows need no earlier
	 * events except the functions open at their start: returns whether no
	 * event at @time_ns or later can change the result. NULL: the table
	 * needs more.
	 */
	bool (*is_done)(const struct event_handler *handler, uint64_t time_ns);
	/* Its records; NULL: it has none. */
	const struct table_records *records;
	struct owner_place owner;
	/* Further records, of a tracker; NULL: it has none. */
	const struct table_records *more_records;
	/* Returns whether it needs the last of these; if it needs none, it
	 * needs the whole pass. NULL: always.
	 */
	bool (*are_needed)(const struct attribution_input *input);
};

/* Initializer of the needs of a table. */
#define TABLE_NEEDS(list, none_) \
	.needs = (list), .need_count = sizeof(list) / sizeof(*(list)), \
	.none = (none_)

/* Opens @table, which then receives the pass of input->trackers. Returns NULL
 * when out of memory.
 */
struct event_handler *
attribution_table_open(const struct attribution_table *table,
		       const struct attribution_input *input);
void attribution_table_close(const struct attribution_table *table,
			     struct event_handler *handler); /* or NULL */

/* Not an option of report: timeline --syscalls. Writes during the pass to
 * input.calls->out.
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
extern const struct attribution_table spins_table;
extern const struct attribution_table irqsoff_table;
extern const struct attribution_table preemptoff_table;
extern const struct attribution_table idle_table;
extern const struct attribution_table block_table;
extern const struct attribution_table network_table;
extern const struct attribution_table guests_table;
extern const struct attribution_table interrupts_table;
extern const struct attribution_table latency_table;
extern const struct attribution_table relations_table;
extern const struct attribution_table call_sites_table;
extern const struct attribution_table crashes_table;
extern const struct attribution_table hits_table;
extern const struct attribution_table arguments_table;

/* Returns table @index, in the order of --help; NULL after the last. */
const struct attribution_table *attribution_table_at(size_t index);

#endif
