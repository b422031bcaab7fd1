/* SPDX-License-Identifier: MIT */
#include "store/answer/answer.h"

#include "common/error.h"
#include "common/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int answer_open(struct answer *answer)
{
	*answer = (struct answer){
		.texts = arena_new(),
		.columns = ARRAY_OF(const char *),
		.cells = ARRAY_OF(struct answer_cell),
	};
	return answer->texts ? 0 : -ERROR_MEMORY;
}

void answer_free(struct answer *answer)
{
	array_free(&answer->columns);
	array_free(&answer->cells);
	arena_free(answer->texts);
	answer->texts = NULL;
}

int answer_add_column(struct answer *answer, const char *name)
{
	const char **column = array_add(&answer->columns);

	assert(!answer->cells.count); /* columns come first */
	if (column)
		*column = arena_text(answer->texts, name, strlen(name));
	return column && *column ? 0 : -ERROR_MEMORY;
}

int answer_add(struct answer *answer, const struct answer_cell *cell)
{
	struct answer_cell *added = array_add(&answer->cells);

	if (!added)
		return -ERROR_MEMORY;
	*added = *cell;
	if (cell->is_null || cell->type != COLUMN_TEXT)
		return 0;
	added->value.text = arena_text(answer->texts, cell->value.text,
				       strlen(cell->value.text));
	return added->value.text ? 0 : -ERROR_MEMORY;
}

int answer_add_null(struct answer *answer)
{
	return answer_add(answer, &(struct answer_cell){ .is_null = true });
}

int answer_add_number(struct answer *answer, int64_t number)
{
	const struct answer_cell cell = { .type = COLUMN_INTEGER,
					  .value.number = number };

	return answer_add(answer, &cell);
}

int answer_add_real(struct answer *answer, double real)
{
	const struct answer_cell cell = { .type = COLUMN_REAL,
					  .value.real = real };

	return answer_add(answer, &cell);
}

int answer_add_text(struct answer *answer, const char *text)
{
	const struct answer_cell cell = { .type = COLUMN_TEXT,
					  .value.text = text };

	return answer_add(answer, &cell);
}

size_t answer_rows(const struct answer *answer)
{
	return answer->columns.count ?
		       answer->cells.count / answer->columns.count :
		       0;
}

const struct answer_cell *answer_at(const struct answer *answer, size_t row,
				    size_t column)
{
	return array_at(&answer->cells, row * answer->columns.count + column);
}

double answer_real(const struct answer *answer, size_t row, size_t column)
{
	const struct answer_cell *cell = answer_at(answer, row, column);

	if (cell->is_null || cell->type == COLUMN_TEXT)
		return 0;
	return cell->type == COLUMN_REAL ? cell->value.real :
					   (double)cell->value.number;
}

/* Returns @real without its fraction, limited to the range of int64_t; 0 for
 * NaN.
 */
static int64_t nearest(double real)
{
	if (isnan(real))
		return 0;
	if (real >= 0x1p63)
		return INT64_MAX;
	return real < -0x1p63 ? INT64_MIN : (int64_t)real;
}

int64_t answer_number(const struct answer *answer, size_t row, size_t column)
{
	const struct answer_cell *cell = answer_at(answer, row, column);

	if (!cell->is_null && cell->type == COLUMN_INTEGER)
		return cell->value.number;
	return nearest(answer_real(answer, row, column));
}

const char *answer_text(const struct answer *answer, size_t row, size_t column)
{
	const struct answer_cell *cell = answer_at(answer, row, column);

	return cell->is_null || cell->type != COLUMN_TEXT ? "" :
							    cell->value.text;
}

static void write_cell(struct record_writer *writer, const char *name,
		       const struct answer_cell *cell)
{
	if (cell->is_null) {
		record_absent(writer, name);
		return;
	}
	switch (cell->type) {
	case COLUMN_INTEGER:
		/* In the text format, record_number() writes values whose name
		 * ends in _ns as times; it takes no negative ones.
		 */
		if (cell->value.number >= 0)
			record_number(writer, name,
				      (uint64_t)cell->value.number);
		else
			record_signed(writer, name, cell->value.number);
		break;
	case COLUMN_REAL:
		record_float(writer, name, cell->value.real);
		break;
	case COLUMN_TEXT:
		record_text(writer, name, cell->value.text);
		break;
	}
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct answer *answer = ctx;

	for (size_t i = 0; i < answer->columns.count; i++)
		write_cell(writer,
			   *(const char **)array_at(&answer->columns, i),
			   answer_at(answer, index, i));
}

void answer_write(const struct answer *answer, enum record_format format,
		  FILE *out)
{
	struct record_writer writer = record_writer_of(out, format);

	record_writer_table(&writer, write_row, answer, answer_rows(answer));
}
