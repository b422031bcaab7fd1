/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_RESULT_H
#define KT_CMD_TOP_RESULT_H

#include "cmd/top/top_tables.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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
	uint64_t round_ns; /* until the next round starts */
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

#endif
