/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_ROUND_H
#define KT_CMD_TOP_ROUND_H

#include "common/output_folder.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct top_options;
struct top_result;

/* A round under way: a process that records into a folder of its own and makes
 * tables of that.
 */
struct top_round {
	pid_t pid;  /* 0: there is none */
	int ended;  /* a file that can be read when the process has ended */
	FILE *out;  /* what it writes */
	FILE *said; /* its standard error */
	struct output_folder folder;
	uint64_t begin_ns; /* of the monotonic clock */
	uint64_t begin_s;  /* of the wall clock */
};

/* Starts one, with rows @columns wide; @tree as of top_work().
 *
 * Returns 0, or -1 with errno.
 */
int top_round_start(struct top_round *round, const struct top_options *options,
		    pid_t tree, int columns);

/* Waits for its end, reads @result, but its number and length, and removes the
 * folder.
 */
void top_round_finish(struct top_round *round, struct top_result *result);

/* Ends it at once, if there is one. */
void top_round_drop(struct top_round *round);

#endif
