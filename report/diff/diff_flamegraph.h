/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DIFF_FLAMEGRAPH_H
#define KT_REPORT_DIFF_FLAMEGRAPH_H

#include <stdio.h>

struct diff_paths;

/* Draws side B as a flame graph (SVG): widths are its times; red is what takes
 * longer in itself than on side A, blue what takes less, the stronger the larger
 * the change; what does not differ, or no more than recordings of one side do, is
 * grey.  Below it side A is drawn, with the same colours: there is what B lacks.
 * @title is NULL for that of the command.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int diff_flamegraph_write(const struct diff_paths *paths, const char *title,
			  FILE *out);

#endif
