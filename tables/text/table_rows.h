/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TABLE_ROWS_H
#define KT_TABLES_TABLE_ROWS_H

/* The rows of report's tables: each table has a list of columns
 * (rows/column.h). Rows are written as text, CSV or JSON, sorted, and explained
 * (report --columns) by that list.
 *
 *	facts, one for each row ─┐
 *	columns of the table ────┴─► table_rows_show() ─► record_writer.h
 *
 * 1. All formats have the same columns and the same order of rows.
 * 2. An unknown value is never 0: text leaves its column out, CSV has it empty,
 *    and JSON null.
 */

#include "report/text/record_writer.h"
#include "rows/column.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct array;
struct attribution_input;
struct attribution_output;
struct attribution_table;
struct task;

/* A row, for the functions of its columns. All is borrowed. */
struct column_row {
	const void *fact;  /* the struct whose members the columns are */
	const void *state; /* of the table */
	const struct attribution_input *input;
	bool is_text; /* for people: durations have units */
};

/* The rows of a table. All is borrowed. */
struct table_rows {
	const struct attribution_table *table;
	const void *state;
	const struct attribution_input *input;
	/* columns instead of the table's, up to END_OF_COLUMNS; NULL: the
	 * table's
	 */
	const struct column *columns;
	const struct array *facts; /* the rows' facts; not used with fact_at */
	bool are_pointers;	   /* items of facts are pointers */
	/* Returns the fact of row @index. NULL: facts has them. */
	const void *(*fact_at)(const void *state, uint64_t index);
	uint64_t count;
	bool is_text; /* set by table_rows_show() */
};

/* Initializer of the rows of @state_, whose facts are the items of @array. */
#define TABLE_ROWS(table_, state_, array) \
	{ \
		.table = (table_), .state = (state_), \
		.input = &(state_)->input, .facts = (array), \
		.count = (array)->count, \
	}

/* Writes @rows with the format, order and maximum number of rows of @output,
 * and names below a table of text the data that the recording lacks
 * (table->needs).
 *
 * Returns 0, -ERROR_NOT_FOUND if no column is called output->sort, or
 * -ERROR_MEMORY.
 */
int table_rows_show(const struct attribution_output *output,
		    const struct table_rows *rows);

/* Returns whether a list of report has a column of this name or heading.
 * @columns: up to END_OF_COLUMNS; NULL is an empty list.
 */
bool columns_have(const struct column *columns, const char *name);

enum { COLUMN_NAMES_BYTES = 2048 };

/* Returns @text with the names of the columns, separated by spaces. */
const char *columns_names(const struct column *columns,
			  char text[COLUMN_NAMES_BYTES]);

/* Write the heading, name and meaning of each column: in a line of text, or as a
 * JSON object, separated by commas.
 */
void columns_explain(const struct column *columns, FILE *out);
void columns_explain_json(const struct column *columns, FILE *out);

/* Writes the fields of @columns, up to END_OF_COLUMNS, in @row. */
void columns_write(struct record_writer *writer, const struct column *columns,
		   const struct column_row *row);

/* A record_fields that writes a row of @rows, a struct table_rows. */
void table_rows_write(struct record_writer *writer, const void *rows,
		      uint64_t index);

/* Columns that several tables have. Each is an initializer of struct column,
 * whose arguments initialize its value; macros of processes, functions and
 * histograms take the type of the fact and its member.
 */
column_write column_write_group;    /* of an int32_t: a group of --by */
column_write column_write_comm;	    /* of an int32_t: a thread's last name */
column_write column_write_function; /* of a uint32_t */
column_write column_write_mean;	    /* of a struct histogram */
column_write column_write_median;
column_write column_write_p99;

#define GROUP_COLUMN(type, member) \
	TEXT_COLUMN("group", \
		    "what --by groups: thread, process, comm, cgroup or " \
		    "choice", \
		    WRITTEN_OF(column_write_group, type, member), \
		    .rows = COLUMN_OF_GROUPS)
#define PID_COLUMN(...) INT_COLUMN("pid", "number of the process", __VA_ARGS__)
#define TID_COLUMN(...) INT_COLUMN("tid", "number of the thread", __VA_ARGS__)
#define COMM_COLUMN(...) \
	TEXT_COLUMN("comm", "name of the process, or of the thread", \
		    __VA_ARGS__)
#define COMM_COLUMN_OF(type, member) \
	COMM_COLUMN(WRITTEN_OF(column_write_comm, type, member))
/* The process of a row, or its group with --by. */
#define PROCESS_COLUMNS(type, member) \
	GROUP_COLUMN(type, member), \
		PID_COLUMN(MEMBER(type, member), .rows = COLUMN_OF_TASKS), \
		COMM_COLUMN(WRITTEN_OF(column_write_comm, type, member), \
			    .rows = COLUMN_OF_TASKS)
#define FUNCTION_COLUMN(meaning, type, member) \
	TEXT_COLUMN("function", meaning, \
		    WRITTEN_OF(column_write_function, type, member))
#define KERNEL_FUNCTION_COLUMN(type, member) \
	FUNCTION_COLUMN("function of the kernel", type, member)
#define COUNT_COLUMN(...) INT_COLUMN("count", "how often", __VA_ARGS__)
#define TOTAL_COLUMN(...) \
	NS_COLUMN("total_ns", "all of them added up", __VA_ARGS__)
#define MEAN_COLUMN(...) NS_COLUMN("mean_ns", "mean", __VA_ARGS__)
#define MEAN_COLUMN_OF(type, member) \
	MEAN_COLUMN(WRITTEN_OF(column_write_mean, type, member))
#define MEDIAN_COLUMN(...) \
	NS_COLUMN("median_ns", "half of them took at most this long", \
		  __VA_ARGS__)
#define MEDIAN_COLUMN_OF(type, member) \
	MEDIAN_COLUMN(WRITTEN_OF(column_write_median, type, member))
#define P99_COLUMN(...) \
	NS_COLUMN("p99_ns", "99 of 100 took at most this long", __VA_ARGS__)
#define P99_COLUMN_OF(type, member) \
	P99_COLUMN(WRITTEN_OF(column_write_p99, type, member))
#define MAX_COLUMN(...) NS_COLUMN("max_ns", "the longest", __VA_ARGS__)
#define WALL_COLUMN(...) \
	NS_COLUMN("wall_ns", "time from its start to its end", __VA_ARGS__)
#define USER_COLUMN(...) NS_COLUMN("user_ns", "in user space", __VA_ARGS__)
#define KERNEL_COLUMN(...) \
	NS_COLUMN("kernel_ns", "in the kernel for other reasons, on a CPU", \
		  __VA_ARGS__)
#define ON_CPU_COLUMN(...) \
	NS_COLUMN("on_cpu_ns", "on a CPU: in the kernel or in user space", \
		  __VA_ARGS__)
#define RUNNABLE_COLUMN(...) \
	NS_COLUMN("runnable_ns", "ready to run, and waiting for a CPU", \
		  __VA_ARGS__)
#define THROTTLED_COLUMN(...) \
	NS_COLUMN("throttled_ns", \
		  "ready to run, and kept from it by its cgroup's CPU quota", \
		  __VA_ARGS__)
#define ASLEEP_COLUMN(...) \
	NS_COLUMN("asleep_ns", \
		  "asleep, until a thread or an interrupt wakes it", \
		  __VA_ARGS__)
#define INTERRUPT_COLUMN(...) \
	NS_COLUMN("interrupt_ns", "work of interrupts that interrupted it", \
		  __VA_ARGS__)
#define STOLEN_COLUMN(...) \
	NS_COLUMN("stolen_ns", "work of interrupts that interrupted the call", \
		  __VA_ARGS__)
#define TRACER_COLUMN(...) \
	NS_COLUMN("tracer_ns", "the recorder's own work", __VA_ARGS__)
#define GUEST_COLUMN(...) \
	NS_COLUMN("guest_ns", "in a virtual machine that the process runs", \
		  __VA_ARGS__)
#define UNKNOWN_COLUMN(...) \
	NS_COLUMN("unknown_ns", "not in the recording", __VA_ARGS__)
#define FAULTS_COLUMN(...) \
	INT_COLUMN("faults", "number of page faults", __VA_ARGS__)
#define CUT_COLUMN(...) \
	INT_COLUMN("cut", \
		   "those that the recording or the window has only in part", \
		   __VA_ARGS__)
#define CALL_COLUMN(...) \
	TEXT_COLUMN("call", "name of the system call", __VA_ARGS__)
#define STACK_COLUMN(...) \
	TEXT_COLUMN("stack", "functions of the kernel, the innermost first", \
		    __VA_ARGS__)

/* Returns whether the options select an event that @task started at @begin_ns.
 */
bool table_wants(const struct attribution_input *input, const struct task *task,
		 uint64_t begin_ns);

/* Returns whether the options exclude such an event only because the recorder's
 * own tasks are left out (struct step_filter).
 */
bool table_leaves_out(const struct attribution_input *input,
		      const struct task *task, uint64_t begin_ns);

/* Finds the order that @output requests for the @count rows of a table.
 *
 * Returns 0 and *@order (indices of rows), which the caller frees;
 * -ERROR_NOT_FOUND if no column is called output->sort; -ERROR_MEMORY.
 */
int table_rows_order(const struct attribution_output *output,
		     record_fields *fields, const void *ctx, uint64_t count,
		     uint64_t **order);

/* Writes the @count rows of a table with the format, order and maximum number
 * of rows of @output.
 *
 * Returns 0, -ERROR_NOT_FOUND if no column is called output->sort, or
 * -ERROR_MEMORY.
 */
int table_rows_render(const struct attribution_output *output,
		      record_fields *fields, const void *ctx, uint64_t count);

#endif
