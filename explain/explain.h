/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_EXPLAIN_H
#define KT_EXPLAIN_EXPLAIN_H

/* The first screen: why the command took as long as it did.
 *
 *	pass --> life_reader --> lives --> critical_path --> causes --> text
 *
 * Of the recorded command, or of the tasks, the time or the request that the
 * options choose. In JSON it is one object, in CSV a row for each cause.
 *
 * With an argument, it is of the request with that number (report --requests).
 */
extern const struct attribution_table explain_table;

#endif
