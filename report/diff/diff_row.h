/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DIFF_ROW_H
#define KT_REPORT_DIFF_ROW_H

#include "report/diff/diff_table.h"

#include <stdbool.h>

/* A row on one side: means of its recordings. */
struct diff_side {
	struct diff_value sum;	   /* of all its recordings */
	struct diff_value current; /* of the one that is added */
	double least_ns;	   /* of one recording's totals */
	double most_ns;
	uint32_t recordings; /* that had the row */
};

struct diff_row {
	enum diff_section section;
	char *comm; /* owned */
	char *name; /* owned */
	struct diff_side sides[2];
};

/* Returns "process", "syscall", "sleep" or "function". */
const char *diff_section_name(enum diff_section section);

/* Returns @value as a whole number; 0 of a negative one. */
uint64_t diff_rounded(double value);

/* Returns the time of one call. */
uint64_t diff_value_each(const struct diff_value *value);

/* The recording that was added to @side is complete. */
void diff_side_fold(struct diff_side *side);

/* Returns the mean of a side's @recordings, of which some may lack the row. */
struct diff_value diff_side_mean(const struct diff_side *side,
				 uint32_t recordings);

/* Returns how much longer it takes on side 1. */
double diff_sides_change(const struct diff_side sides[2],
			 const uint32_t recordings[2]);

/* Returns whether recordings of one side differ among themselves as much as from
 * the other's; with one of each that is not known.
 */
bool diff_sides_are_noise(const struct diff_side sides[2],
			  const uint32_t recordings[2]);

/* Returns how much longer it takes on side 1. */
double diff_row_change(const struct diff_row *row,
		       const uint32_t recordings[2]);

/* Returns "new", "gone", "noise" or "". */
const char *diff_row_note(const struct diff_row *row,
			  const uint32_t recordings[2]);

#endif
