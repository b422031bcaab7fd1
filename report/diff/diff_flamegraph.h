/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DIFF_DIFF_FLAMEGRAPH_H
#define KT_REPORT_DIFF_DIFF_FLAMEGRAPH_H

#include "report/diff/diff_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct diff_path {
	uint32_t parent;	   /* smaller than the path's own number */
	uint32_t name;		   /* see diff_paths_name() */
	bool is_interrupt;	   /* interrupt work */
	struct diff_side sides[2]; /* self time */
};

/* The call paths of two sides' recordings, by name: a tree of processes and
 * functions with their self times.
 */
struct diff_paths;

/* No path; the parent of roots. */
#define DIFF_PATH_NONE UINT32_MAX

/* Returns NULL when out of memory. */
struct diff_paths *diff_paths_new(void);
void diff_paths_free(struct diff_paths *paths);

/* Starts another recording of @side (0 or 1). */
void diff_paths_begin(struct diff_paths *paths, int side);

/* Adds @value to the path @name below the last added path with a smaller
 * @depth; roots have depth 0. A depth may exceed the previous depth by at most
 * one.
 *
 * Returns 0, -ERROR_MEMORY, or -ERROR_FORMAT for an invalid depth.
 */
int diff_paths_add(struct diff_paths *paths, uint32_t depth, const char *name,
		   bool is_interrupt, const struct diff_value *value);

/* Completes the sums of the last recording. Must be called after everything has
 * been added.
 */
void diff_paths_end(struct diff_paths *paths);

uint32_t diff_paths_count(const struct diff_paths *paths);
const struct diff_path *diff_paths_at(const struct diff_paths *paths,
				      uint32_t index);
const char *diff_paths_name(const struct diff_paths *paths, uint32_t index);

/* Draws side B as a flame graph (SVG) with B's times as widths. Frames with
 * more self time than on side A are red, frames with less are blue; stronger
 * colours are larger changes. Equal frames and noise (changes no larger than
 * the differences within a side) are grey. Side A is drawn below in the same
 * colours, which shows the paths that B lacks. If @title is NULL, the title is
 * "Time on CPUs in B".
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int diff_flamegraph_write(const struct diff_paths *paths, const char *title,
			  FILE *out);

#endif
