/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROWS_ROW_OUT_H
#define KT_SQL_ROWS_ROW_OUT_H

#include "report/steps/call_step.h"
#include "sql/rows/row_queue.h"

#include <stdbool.h>
#include <stdint.h>

struct row_queue;

/* The way of a table's rows from their source (sql/tables/row_source.h) to the
 * queue (row_queue.h): row_out_begin(), the cells, row_out_end(). Rows that the
 * query certainly does not accept (struct row_choice) are dropped here, to save
 * work; SQLite checks the others again, so a choice may accept too many rows,
 * but never too few. A listener, such as the cache of rows, gets all of them.
 *
 * Errors: out->status, which row_out_flush() returns.
 */

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

/* Receives all rows of a table, accepted or not: row @row of @chunk. */
struct row_listener {
	void (*take)(struct row_listener *listener,
		     const struct row_chunk *chunk, uint32_t row);
};

/* The output of one table's rows. The caller begins a row, fills its cells, and
 * ends it.
 */
struct row_out {
	const struct sql_table *table;	 /* borrowed */
	struct row_queue *queue;	 /* borrowed */
	const struct row_choice *choice; /* borrowed */
	struct row_chunk *chunk;	 /* being filled; or NULL */
	struct row_listener *listener;	 /* borrowed; or NULL */
	uint64_t not_recorded;		 /* columns that are NULL in all rows */
	/* number of rows that are passed on if the reader waits */
	uint32_t enough;
	int status; /* 0 or -ERROR_MEMORY */
};

/* Begins a row. Returns its cells by column with undefined values, all of them
 * not NULL except those of @out->not_recorded; returns NULL when out of memory.
 */
union sql_cell *row_out_begin(struct row_out *out);

/* Returns the cells of the row that row_out_begin() began, before
 * row_out_end().
 */
static inline union sql_cell *row_out_cells(const struct row_out *out)
{
	return row_chunk_cells(out->chunk, out->chunk->count);
}

/* Sets @column of the current row to NULL. */
static inline void row_out_null(struct row_out *out, uint32_t column)
{
	out->chunk->nulls[out->chunk->count] |= (uint64_t)1 << column;
}

/* Returns a copy of @text that lives as long as the current row. */
const char *row_out_text(struct row_out *out, const char *text);

/* Ends the row and emits it if it is accepted. */
void row_out_end(struct row_out *out);

/* Passes on all remaining rows. Returns 0 or -ERROR_MEMORY. */
int row_out_flush(struct row_out *out);

#endif
