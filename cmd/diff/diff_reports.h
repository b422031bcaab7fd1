/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_DIFF_REPORTS_H
#define KT_CMD_DIFF_REPORTS_H

struct diff_table;
struct report_options;

/* Fills @table from the reports of both sides' recordings, options->input and
 * options->second. Returns the exit code.
 */
int diff_reports_read(struct diff_table *table,
		      const struct report_options *options);

#endif
