/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_WORK_H
#define KT_CMD_TOP_WORK_H

#include <stdio.h>
#include <sys/types.h>

struct output_folder;
struct top_options;

/* The work of one round, in a process of its own, of one thread: records into
 * a folder in @folder, makes the tables of that and writes all of it to
 * @out (top_result.h).  What goes wrong is said to standard error.
 *
 * @tree is the process whose tree has the rows wanted, 0: all are.
 * Returns 0, or -1: not all was written.
 */
int top_work(const struct top_options *options,
	     const struct output_folder *folder, pid_t tree, FILE *out);

#endif
