/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_ANSWER_H
#define KT_STORE_ANSWER_H

/* The whole result of a query in memory, in one form for all databases.
 *
 * States: answer_open(); columns are added; cells are added, row after row;
 * then it is only read. answer_free() is allowed in each state.
 *
 * 1. Texts are copied, so that an answer does not depend on its database.
 * 2. Reading a cell as another type converts numbers and otherwise yields 0 or
 *    "", never an error.
 *
 * Errors: -ERROR_MEMORY.
 */

#include "common/array.h"
#include "report/text/record_writer.h"
#include "sql/rows/row_queue.h"

#include <stdbool.h>
#include <stdio.h>

struct arena;

/* One value of an answer. */
struct answer_cell {
	bool is_null;
	enum column_type type;
	union sql_cell value;
};

/* All rows of a query's result in memory, independent of the database. */
struct answer {
	struct arena *texts;
	struct array columns; /* const char *: column names */
	struct array cells;   /* struct answer_cell, row after row */
};

/* Initialises @answer, without columns. Returns 0 or -ERROR_MEMORY. Call
 * answer_free() in both cases.
 */
int answer_open(struct answer *answer);
void answer_free(struct answer *answer);

/* Add a column (before any cell), or the next cell of the current row; texts
 * are copied. Return 0 or -ERROR_MEMORY.
 */
int answer_add_column(struct answer *answer, const char *name);
int answer_add(struct answer *answer, const struct answer_cell *cell);
int answer_add_null(struct answer *answer);
int answer_add_number(struct answer *answer, int64_t number);
int answer_add_real(struct answer *answer, double real);
int answer_add_text(struct answer *answer, const char *text);

size_t answer_rows(const struct answer *answer);

/* Returns the cell of @row in @column. Both must exist. */
const struct answer_cell *answer_at(const struct answer *answer, size_t row,
				    size_t column);

/* Return the cell as a number (0 for NULL and text) or as a text ("" for NULL
 * and numbers).
 */
double answer_real(const struct answer *answer, size_t row, size_t column);
int64_t answer_number(const struct answer *answer, size_t row, size_t column);
const char *answer_text(const struct answer *answer, size_t row, size_t column);

/* Writes all rows to @out. */
void answer_write(const struct answer *answer, enum record_format format,
		  FILE *out);

#endif
