/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TEXT_WIDTH_H
#define KT_REPORT_TEXT_WIDTH_H

#include <stdio.h>

enum {
	TEXT_WIDTH_LEAST = 40,
	TEXT_WIDTH_FILE = 100, /* where no terminal shows it */
};

/* Returns how many columns a text on @out should have: what the environment's
 * COLUMNS says; else those of the terminal that shows it, itself or by way of
 * a pager; else TEXT_WIDTH_FILE.
 */
int text_width_of(FILE *out);

#endif
