/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_TOP_ROUND_INTERNAL_H
#define KT_CMD_TOP_TOP_ROUND_INTERNAL_H

/* A round of top: a child process that records for a moment and makes tables.
 *
 * It is a process because the recorder takes over the signals of its process,
 * and because a decode may fail. The parent (top_loop.c) starts a round, waits
 * for ended to become readable, and reads the result, which the child has
 * written to a file in memory:
 *
 *   parent: top_round_start() -> poll(ended) -> top_round_finish() -> shows it
 *   child:  record -> TOP_RECORDED -> tables -> TOP_REPORTED -> exit
 *
 * The stage in the result shows how far the child came. A round without a
 * result counts as one whose recorder failed. said has the text that the child
 * wrote to standard error.
 */

#include "common/files/output_folder.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct attribution_table;
struct top_options;

enum top_table {
	TOP_SLEEPS,
	TOP_CALLS,
	TOP_INTERRUPTS,
	TOP_PROCESSES,
	/* The sleeps of all rounds (top_sums.c). In the result of one round's
	 * process: the sleeps of that round, as CSV.
	 */
	TOP_SUMS,
	TOP_TABLES,
};

/* The tables that top shows one at a time, indexed by enum top_table. */
struct top_table_info {
	char key;
	const char *key_title; /* beside its key: short, for 80 columns */
	const char *title;
	const char *name;		       /* in JSON */
	const struct attribution_table *table; /* TOP_SUMS: NULL */
};

extern const struct top_table_info top_tables[TOP_TABLES];

/* The last stage that a round completed. */
enum top_stage {
	TOP_NOTHING,  /* the recorder failed */
	TOP_RECORDED, /* the tables failed */
	TOP_REPORTED,
};

/* The recorder's facts about a round. */
struct top_facts {
	enum top_stage stage;
	bool is_cut_short;   /* by --max-size */
	bool is_target_gone; /* all traced processes have ended */
	uint64_t traced_ns;
	uint64_t trace_bytes;
	uint64_t truncated; /* number of times trace was lost */
	uint64_t lost_code; /* code regions that were not copied */
	uint64_t lost_records;
};

/* The result of a round. A zeroed one is empty. */
struct top_result {
	struct top_facts facts;
	char *tables[TOP_TABLES]; /* NULL unless reported */
	char *said;	   /* messages, a line each; NULL: out of memory */
	uint64_t number;   /* of the round, counted from 1 */
	uint64_t begin_s;  /* wall clock */
	uint64_t round_ns; /* from its start to the next one's */
	uint64_t cpu_ns;   /* CPU time used by top itself */
};

/* Writes facts and tables; called in the process that made them. Returns 0 or
 * -1.
 */
int top_result_write(const struct top_result *result, FILE *out);

/* Reads facts and tables. Returns 0, or -1 if they are incomplete; @result is
 * then as after a recorder failure.
 */
int top_result_read(struct top_result *result, FILE *in);

/* Frees the contents of @result and leaves it empty. */
void top_result_clear(struct top_result *result);

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
 * Returns 0, or -1 with errno; if a folder could not be made, @round->where is
 * its parent.
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
