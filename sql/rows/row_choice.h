/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROW_CHOICE_H
#define KT_SQL_ROW_CHOICE_H

#include "report/steps/time_window.h"
#include "sql/rows/row_chunk.h"

#include <stdbool.h>
#include <stdint.h>

/* An identity that rows must have. */
struct row_identity {
	bool is_chosen;
	int64_t number;
};

/* Which rows of a table a query asks for, as far as that saves work: SQLite
 * looks at each row again.
 */
struct row_choice {
	bool is_limited;	  /* else all rows are wanted */
	struct time_window begin; /* they begin in it */
	struct time_window end;	  /* they end in it */
	struct time_window sums;  /* what sums are of */
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

/* Returns whether @choice may want row @row, the last of @chunk. */
bool row_choice_wants(const struct row_choice *choice,
		      const struct row_chunk *chunk, uint32_t row);

/* Returns whether rows of any time are wanted. */
bool row_choice_has_all_times(const struct row_choice *choice);

/* Returns from when on rows are wanted and made, for a table of events or of
 * sums.
 */
uint64_t row_choice_since(const struct row_choice *choice);

/* Returns a time from which on no row that begins or ends is wanted. */
uint64_t row_choice_until(const struct row_choice *choice);

#endif
