/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DIFF_ROW_H
#define KT_REPORT_DIFF_ROW_H

#include "report/diff/diff_table.h"

#include <stdbool.h>

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

/* Returns the mean time of a call. */
uint64_t diff_value_each(const struct diff_value *value);

/* Adds the current recording, which must be complete, to the sums of @side. */
void diff_side_fold(struct diff_side *side);

/* Returns the mean over a side's @recordings; a recording without the row
 * counts as 0.
 */
struct diff_value diff_side_mean(const struct diff_side *side,
				 uint32_t recordings);

/* Returns the change of the mean time from side 0 to side 1. */
double diff_sides_change(const struct diff_side sides[2],
			 const uint32_t recordings[2]);

/* Returns whether recordings of one side differ among themselves at least as
 * much as from the other side. False with one recording per side, where noise
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

#endif
