/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_WORK_H
#define KT_CMD_TOP_WORK_H

#include <stdio.h>
#include <sys/types.h>

struct output_folder;
struct top_options;

/* Does the work of one round, in a single-threaded process of its own: records
 * into a folder inside @folder, makes tables from the recording and writes the
 * result to @out (top_result.h). Errors are reported on standard error.
 *
 * If @tree is not 0, only rows of the process tree below process @tree are
 * included. Returns 0, or -1 if not all was written.
 */
int top_work(const struct top_options *options,
	     const struct output_folder *folder, pid_t tree, FILE *out);

#endif
