/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_DIFF_PAGE_H
#define KT_CMD_DIFF_PAGE_H

#include <stdio.h>

struct diff_table;
struct report_options;

/* Writes @table as a self-contained HTML page. Returns the exit code. */
int diff_page_write(const struct diff_table *table,
		    const struct report_options *options, FILE *out);

#endif
