/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DIFF_TABLE_H
#define KT_REPORT_DIFF_TABLE_H

#include "common/array.h"
#include "report/text/record_writer.h"

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

/* This is what one recording says of one row. */
struct diff_value {
	double count;
	double total_ns;
	double p99_ns; /* or the longest; 0: not known */
};

/* This is what changed from the recordings of one side (A) to those of the
 * other (B): a row for each process, system call, sleep place and function, by
 * names, for process numbers differ from recording to recording.
 */
struct diff_table {
	struct array rows;	/* struct diff_row */
	uint32_t recordings[2]; /* of each side, with the one that is added */
	double tracer_ns[2];	/* that the totals of processes are without */
};

struct diff_table diff_table_new(void);
void diff_table_free(struct diff_table *table);

/* Begins another recording of @side: 0 or 1. */
void diff_table_begin(struct diff_table *table, int side);

/* Adds @value to the row of @section called @comm and @name.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int diff_table_add(struct diff_table *table, int side,
		   enum diff_section section, const char *comm,
		   const char *name, const struct diff_value *value);

/* Counts @tracer_ns that the tracer took of a process in a recording of @side, which
 * its total is without.
 */
void diff_table_add_tracer(struct diff_table *table, int side,
			   double tracer_ns);

/* All is added: the largest change comes first in each section. */
void diff_table_end(struct diff_table *table);

/* Writes the first @top rows of each section; text leaves out what did not
 * change, and what is noise.  Returns 0 or -ERROR_MEMORY.
 */
int diff_table_write(const struct diff_table *table, enum record_format format,
		     uint64_t top, FILE *out);

#endif
