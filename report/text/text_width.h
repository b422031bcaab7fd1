/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TEXT_WIDTH_H
#define KT_REPORT_TEXT_WIDTH_H

#include <stdio.h>

enum {
	TEXT_WIDTH_LEAST = 40,
	TEXT_WIDTH_FILE = 100, /* if the output is not on a terminal */
};

/* Returns the number of columns for text on @out: the environment's COLUMNS;
 * otherwise the width of the terminal that shows it, directly or through a
 * pager; otherwise TEXT_WIDTH_FILE.
 */
int text_width_of(FILE *out);

#endif
