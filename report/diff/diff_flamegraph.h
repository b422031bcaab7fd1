/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DIFF_FLAMEGRAPH_H
#define KT_REPORT_DIFF_FLAMEGRAPH_H

#include <stdio.h>

struct diff_paths;

/* Draws side B as a flame graph (SVG) with B's times as widths. Frames with
 * more self time than on side A are red, frames with less are blue; stronger
 * colours are larger changes. Equal frames and noise (changes no larger than
 * the differences within a side) are grey. Side A is drawn below in the same
 * colours, which shows the paths that B lacks. If @title is NULL, the command
 * is the title.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int diff_flamegraph_write(const struct diff_paths *paths, const char *title,
			  FILE *out);

#endif
