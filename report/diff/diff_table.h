/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DIFF_DIFF_TABLE_H
#define KT_REPORT_DIFF_DIFF_TABLE_H

/* Recordings of two sides, A and B, compared row by row: their reports are read
 * as CSV (struct csv_rows), the rows of each side's recordings are added up by
 * name (struct diff_row), and the rows are written, the largest change first.
 *
 * Invariants:
 * 1. diff_table_begin() starts a recording; diff_table_add() adds to the last
 *    one. Names are compared, never numbers of processes or functions.
 * 2. A side's mean is over all its recordings: one without the row counts as 0.
 *    (Percentiles: over the recordings with the row.)
 * 3. A change is noise if the ranges of the two sides' recordings overlap. One
 *    recording per side has no range, so noise is unknown.
 *
 * Errors: -ERROR_MEMORY. A CSV that lacks a column has "" and 0 there.
 */

#include "common/array.h"
#include "report/text/record_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A parsed CSV table (RFC 4180). */
struct csv_rows {
	char *text;	     /* contains the fields; owned */
	struct array fields; /* char *, row after row, the header first */
	size_t columns;
};

/* Parses @text, which must end with a NUL, and takes ownership of it.
 *
 * Returns 0 or -ERROR_MEMORY. Call csv_rows_free() in both cases.
 */
int csv_rows_read(struct csv_rows *rows, char *text);
void csv_rows_free(struct csv_rows *rows);

/* Returns the number of rows without the header. */
size_t csv_rows_count(const struct csv_rows *rows);

/* Returns the field in @column of row @index; "" if the column does not exist.
 */
const char *csv_rows_text(const struct csv_rows *rows, size_t index,
			  const char *column);

/* Returns that field as a number; 0 if it is not a number. */
double csv_rows_number(const struct csv_rows *rows, size_t index,
		       const char *column);

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

/* A row on one side, summed over its recordings. */
struct diff_side {
	struct diff_value sum;	   /* of all its recordings */
	struct diff_value current; /* of the recording being added */
	double least_ns;	   /* smallest total of a recording */
	double most_ns;
	uint32_t recordings; /* number of recordings with the row */
};

struct diff_row {
	enum diff_section section;
	char *comm; /* owned */
	char *name; /* owned */
	struct diff_side sides[2];
};

/* Returns "process", "syscall", "sleep" or "function". */
const char *diff_section_name(enum diff_section section);

/* Returns @value rounded; 0 if it is negative. */
uint64_t diff_rounded(double value);

/* Returns the mean time of a call; 0 if there are no calls. */
uint64_t diff_value_each(const struct diff_value *value);

/* Adds the current recording, which must be complete, to the sums of @side. */
void diff_side_fold(struct diff_side *side);

/* Returns the mean over a side's @recordings; a recording without the row
 * counts as 0, but is left out of the mean of p99_ns.
 */
struct diff_value diff_side_mean(const struct diff_side *side,
				 uint32_t recordings);

/* Returns the change of the mean time from side 0 to side 1. */
double diff_sides_change(const struct diff_side sides[2],
			 const uint32_t recordings[2]);

/* Returns whether the ranges of the two sides' total times overlap; a recording
 * without the row counts as 0. False with one recording per side, where noise
 * is unknown.
 */
bool diff_sides_are_noise(const struct diff_side sides[2],
			  const uint32_t recordings[2]);

/* Returns the change of the row's mean time from side 0 to side 1. */
double diff_row_change(const struct diff_row *row,
		       const uint32_t recordings[2]);

/* Returns "new", "gone", "noise" or "". */
const char *diff_row_note(const struct diff_row *row,
			  const uint32_t recordings[2]);

/* Returns whether the row's mean time grew by more than @percent and by more
 * than noise: the gap between the slowest recording of side 0 and the fastest
 * of side 1 must exceed the differences among the recordings of each side.
 * False for a row that only one side has, and with one recording per side.
 */
bool diff_row_is_slower(const struct diff_row *row,
			const uint32_t recordings[2], double percent);

/* The comparison of two sides' recordings: a row for each process, system call,
 * wait channel and function, matched by name because process numbers differ
 * between recordings.
 */
struct diff_table {
	struct array rows;	/* struct diff_row */
	uint32_t recordings[2]; /* of each side, including the current one */
	/* the tracer's time, not in the totals of processes */
	double tracer_ns[2];
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

/* Adds @tracer_ns, the tracer's time in a process of a recording of @side,
 * which the process's total leaves out.
 */
void diff_table_add_tracer(struct diff_table *table, int side,
			   double tracer_ns);

/* Removes the rows of @section called @name, or all of its rows if @name is
 * NULL, of both sides.
 */
void diff_table_leave_out(struct diff_table *table, enum diff_section section,
			  const char *name);

/* Adds a line about the events that a recording lacks. Takes ownership of
 * @text, also on failure. Returns 0 or -ERROR_MEMORY.
 */
int diff_table_note(struct diff_table *table, char *text);

/* Completes the sums of the last recording, and sorts each section by the size
 * of the change, the largest first. Must be called after everything has been
 * added.
 */
void diff_table_end(struct diff_table *table);

/* Writes the first @top rows of each section. The text format leaves out
 * unchanged rows and noise. Returns 0 or -ERROR_MEMORY.
 */
int diff_table_write(const struct diff_table *table, enum record_format format,
		     uint64_t top, FILE *out);

#endif
