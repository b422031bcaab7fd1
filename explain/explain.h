/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_EXPLAIN_H
#define KT_EXPLAIN_EXPLAIN_H

/* The first screen: why the command took as long as it did.
 *
 *	pass --> life_reader --> lives --> critical_path --> causes --> text
 *
 * It explains the recorded command, or the tasks, the window or the request
 * that the options choose. A life is what one thread did and waited for, in
 * order of time. In JSON the table is one object, in CSV a row for each cause.
 *
 * Its argument, if there is one, is the number of a request (report
 * --requests).
 */
extern const struct attribution_table explain_table;

#endif
