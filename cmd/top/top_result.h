/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_RESULT_H
#define KT_CMD_TOP_RESULT_H

#include "cmd/top/top_tables.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* How far a round came. */
enum top_stage {
	TOP_NOTHING,  /* the recorder failed */
	TOP_RECORDED, /* the tables failed */
	TOP_REPORTED,
};

/* This is what the recorder says of a round. */
struct top_facts {
	enum top_stage stage;
	bool is_cut_short;   /* at --max-size */
	bool is_target_gone; /* none of the processes is there any more */
	uint64_t traced_ns;
	uint64_t trace_bytes;
	uint64_t truncated; /* times that trace was lost */
	uint64_t lost_code; /* pieces of kernel code that were not copied */
	uint64_t lost_records;
};

/* This is what came of a round.  A zeroed one is empty. */
struct top_result {
	struct top_facts facts;
	char *tables[TOP_TABLES]; /* NULL unless reported */
	char *said;	   /* messages, a line each; NULL: out of memory */
	uint64_t number;   /* of the round, from 1 on */
	uint64_t begin_s;  /* of the wall clock */
	uint64_t round_ns; /* to the next one's begin */
	uint64_t cpu_ns;   /* what top itself took */
};

/* Writes facts and tables, by the process that made them.  Returns 0 or -1. */
int top_result_write(const struct top_result *result, FILE *out);

/* Reads them.  Returns 0, or -1: they are not all there, and @result is as of a
 * recorder that failed.
 */
int top_result_read(struct top_result *result, FILE *in);

/* Frees what it has and leaves it empty. */
void top_result_clear(struct top_result *result);

#endif
