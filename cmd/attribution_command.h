/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_ATTRIBUTION_COMMAND_H
#define KT_CMD_ATTRIBUTION_COMMAND_H

struct attribution_table;
struct report_options;

/* Fills @table from the recording that @options name, and shows it.
 *
 * @argument is that of the table's option, @sort a column's name; either may
 * be NULL.  Returns the exit code.
 */
int run_attribution(const struct report_options *options,
		    const struct attribution_table *table, const char *argument,
		    const char *sort);

#endif
