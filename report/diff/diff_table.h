/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DIFF_TABLE_H
#define KT_REPORT_DIFF_TABLE_H

#include "common/array.h"
#include "report/text/record_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum diff_section {
	DIFF_PROCESSES,
	DIFF_SYSCALLS,
	DIFF_SLEEPS,
	DIFF_FUNCTIONS,
	DIFF_SECTIONS,
};

/* The values of a row in one recording. */
struct diff_value {
	double count;
	double total_ns;
	double p99_ns; /* or the maximum; 0: unknown */
};

/* The comparison of two sides' recordings: a row for each process, system call,
 * wait channel and function, matched by name because process numbers differ
 * between recordings.
 */
struct diff_table {
	struct array rows;	/* struct diff_row */
	uint32_t recordings[2]; /* of each side, including the current one */
	double tracer_ns[2];	/* left out of the totals of processes */
	/* sections of which no row is compared, because one of the recordings
	 * lacks the data
	 */
	bool is_left_out[DIFF_SECTIONS];
	bool is_chosen;	    /* options choose tasks, CPUs or a time */
	struct array notes; /* char *: the events that a recording lacks; owned */
};

struct diff_table diff_table_new(void);
void diff_table_free(struct diff_table *table);

/* Starts another recording of @side (0 or 1). */
void diff_table_begin(struct diff_table *table, int side);

/* Adds @value to the row of @section with @comm and @name.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int diff_table_add(struct diff_table *table, int side,
		   enum diff_section section, const char *comm,
		   const char *name, const struct diff_value *value);

/* Adds @tracer_ns, the tracer's time in a process of a recording of @side, which
 * the process's total leaves out.
 */
void diff_table_add_tracer(struct diff_table *table, int side,
			   double tracer_ns);

/* Removes the rows of @section called @name, or all of its rows if @name is
 * NULL, of both sides.
 */
void diff_table_leave_out(struct diff_table *table, enum diff_section section,
			  const char *name);

/* Adds a line about the events that a recording lacks. Takes ownership of @text, also on
 * failure. Returns 0 or -ERROR_MEMORY.
 */
int diff_table_note(struct diff_table *table, char *text);

/* Sorts each section by falling change. Must be called after everything has
 * been added.
 */
void diff_table_end(struct diff_table *table);

/* Writes the first @top rows of each section. The text format leaves out
 * unchanged rows and noise. Returns 0 or -ERROR_MEMORY.
 */
int diff_table_write(const struct diff_table *table, enum record_format format,
		     uint64_t top, FILE *out);

#endif
