/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROW_CHOICE_H
#define KT_SQL_ROW_CHOICE_H

#include "report/steps/call_step.h"
#include "sql/rows/row_chunk.h"

#include <stdbool.h>
#include <stdint.h>

/* A number that rows must have in a column. */
struct row_identity {
	bool is_chosen;
	int64_t number;
};

/* The rows of a table that a query accepts, as far as this saves work; SQLite
 * checks each row again.
 */
struct row_choice {
	bool is_limited;	  /* false: all rows are accepted */
	struct time_window begin; /* rows start in this window */
	struct time_window end;	  /* rows end in this window */
	struct time_window sums;  /* window of sums */
	struct row_identity cpu;
	struct row_identity tid;
	struct row_identity pid;
	char function[256]; /* "": any */
};

#define ROW_CHOICE_ALL \
	((struct row_choice){ \
		.begin = TIME_WINDOW_ALL, \
		.end = TIME_WINDOW_ALL, \
		.sums = TIME_WINDOW_ALL, \
	})

/* Returns whether @choice may accept row @row, which is the last row of @chunk.
 */
bool row_choice_wants(const struct row_choice *choice,
		      const struct row_chunk *chunk, uint32_t row);

/* Returns whether rows of all times are accepted. */
bool row_choice_has_all_times(const struct row_choice *choice);

/* Returns the earliest time of accepted rows, for a table of events or of sums.
 */
uint64_t row_choice_since(const struct row_choice *choice);

/* Returns a time from which on no accepted row starts or ends. */
uint64_t row_choice_until(const struct row_choice *choice);

#endif
