/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_ROUND_H
#define KT_CMD_TOP_ROUND_H

#include "common/output_folder.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct top_options;
struct top_result;

/* A running round: a child process that records into its own folder and makes
 * tables from the recording.
 */
struct top_round {
	pid_t pid;  /* 0: no round is running */
	int ended;  /* descriptor that becomes readable when the process ends */
	FILE *out;  /* output of the process */
	FILE *said; /* its standard error */
	struct output_folder folder;
	const char *where; /* NULL, or the folder where @folder cannot be made */
	uint64_t begin_ns; /* monotonic clock */
	uint64_t begin_s;  /* wall clock */
};

/* Starts a round whose rows are @columns wide; @tree is passed to top_work().
 *
 * Returns 0, or -1 with errno, and @round->where set if that is of a file.
 */
int top_round_start(struct top_round *round, const struct top_options *options,
		    pid_t tree, int columns);

/* Waits for the round to end, reads @result except its number and length, and
 * removes the folder.
 */
void top_round_finish(struct top_round *round, struct top_result *result);

/* Kills the round, if one is running. */
void top_round_drop(struct top_round *round);

#endif
