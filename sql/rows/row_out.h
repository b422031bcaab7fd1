/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROWS_ROW_OUT_H
#define KT_SQL_ROWS_ROW_OUT_H

#include "report/steps/call_step.h"
#include "sql/rows/row_queue.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct row_queue;

/* Passes a table's rows from their source (sql/tables/row_source.h) to the
 * queue (row_queue.h): row_out_start(), the columns, row_out_end(). Rows that
 * the query certainly does not accept (struct row_choice) are dropped here to
 * save work. SQLite checks the others again, so a choice may accept too many
 * rows, but never too few.
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
	struct time_window sums;  /* sums are made over this window */
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

/* Returns whether @choice may accept row @row of @chunk.
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

/* The output of one table's rows. The caller begins a row, fills its cells, and
 * ends it.
 */
struct row_out {
	const struct sql_table *table;	 /* borrowed */
	struct row_queue *queue;	 /* borrowed */
	const struct row_choice *choice; /* borrowed */
	struct row_chunk *chunk;	 /* being filled; or NULL */
	uint64_t not_recorded;		 /* columns that are NULL in all rows */
	/* number of rows that are passed on if the reader waits */
	uint32_t enough;
	/* Indexes of the columns that are put (VALUE_PUT) and of the others, in
	 * order; set at the first row.
	 */
	uint8_t puts[SQL_MOST_COLUMNS];
	uint8_t members[SQL_MOST_COLUMNS];
	uint32_t put_count;
	uint32_t member_count;
	union sql_cell *cells; /* cells of the row that row_out_start() began */
	uint32_t next; /* index in puts of the column that is put next */
	bool drops;    /* begins no row: to read all input, but no rows */
	int status;    /* 0 or -ERROR_MEMORY */
	/* a stream to memory, with its text, for row_put_written(); NULL before
	 * its first use
	 */
	FILE *file;
	char *text;
	size_t text_size;
};

/* Frees all that @out owns. */
void row_out_close(struct row_out *out);

/* Begins a row and sets the columns that are members of @fact. The others must
 * be put, in their order, before row_out_end().
 *
 * Returns false if there is no row, because the query does not accept it or
 * memory ran out (out->status).
 */
bool row_out_start(struct row_out *out, const void *fact);

/* Begins a row. Returns its cells by column, with undefined values; none is
 * NULL yet except the columns of out->not_recorded. Returns NULL if rows are
 * dropped (out->drops) or memory ran out.
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

/* Returns the cell of the next column that is put. */
static inline union sql_cell *row_out_next(struct row_out *out)
{
	return &out->cells[out->puts[out->next++]];
}

/* Put the next column. A text must live as long as the row's chunk; NULL is
 * SQL's NULL.
 */
static inline void row_put_number(struct row_out *out, int64_t number)
{
	row_out_next(out)->number = number;
}

static inline void row_put_real(struct row_out *out, double real)
{
	row_out_next(out)->real = real;
}

static inline void row_put_text(struct row_out *out, const char *text)
{
	row_out_next(out)->text = text;
}

/* Puts @number if it @is_known, otherwise NULL. */
static inline void row_put_known(struct row_out *out, bool is_known,
				 int64_t number)
{
	if (!is_known)
		row_out_null(out, out->puts[out->next]);
	row_put_number(out, number);
}

/* Puts the text that @write writes; NULL when out of memory. */
void row_put_written(struct row_out *out,
		     void (*write)(FILE *file, const void *ctx),
		     const void *ctx);

/* Returns a copy of @text that lives as long as the current row's chunk; NULL
 * when out of memory.
 */
const char *row_out_text(struct row_out *out, const char *text);

/* Ends the row and emits it if it is accepted. */
void row_out_end(struct row_out *out);

/* Passes on all remaining rows. Returns 0 or -ERROR_MEMORY. */
int row_out_flush(struct row_out *out);

#endif
