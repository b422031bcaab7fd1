/* SPDX-License-Identifier: MIT */
#include "sql/rows/row_out.h"

#include "common/error.h"
#include "sql/rows/row_queue.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool is_identity(const struct row_identity *identity, int64_t number)
{
	return !identity->is_chosen || identity->number == number;
}

static bool is_function(const struct row_choice *choice, const char *function)
{
	return !*choice->function ||
	       (function && !strcmp(function, choice->function));
}

static bool wants_cell(const struct row_choice *choice, enum column_role role,
		       const union sql_cell *cell)
{
	uint64_t time_ns = (uint64_t)cell->number;

	switch (role) {
	case ROLE_BEGIN:
		return time_window_has(choice->begin, time_ns);
	case ROLE_END:
		return time_window_has(choice->end, time_ns);
	case ROLE_TIME:
		return time_window_has(choice->begin, time_ns) &&
		       time_window_has(choice->end, time_ns);
	case ROLE_CPU:
		return is_identity(&choice->cpu, cell->number);
	case ROLE_TID:
		return is_identity(&choice->tid, cell->number);
	case ROLE_PID:
		return is_identity(&choice->pid, cell->number);
	case ROLE_FUNCTION:
		return is_function(choice, cell->text);
	case NO_ROLE:
	case ROLE_SINCE:
	case ROLE_UNTIL:
		break;
	}
	return true;
}

/* Returns whether @choice may accept column @index of row @row of @chunk. */
static bool wants_column(const struct row_choice *choice,
			 const struct row_chunk *chunk, uint32_t row,
			 uint32_t index)
{
	enum column_role role = chunk->table->columns[index].role;

	return role == NO_ROLE || row_chunk_is_null(chunk, row, index) ||
	       wants_cell(choice, role, &row_chunk_cells(chunk, row)[index]);
}

bool row_choice_wants(const struct row_choice *choice,
		      const struct row_chunk *chunk, uint32_t row)
{
	for (uint32_t i = 0;
	     choice->is_limited && i < chunk->table->column_count; i++)
		if (!wants_column(choice, chunk, row, i))
			return false;
	return true;
}

bool row_choice_has_all_times(const struct row_choice *choice)
{
	return time_window_is_all(choice->begin) &&
	       time_window_is_all(choice->end) &&
	       time_window_is_all(choice->sums);
}

uint64_t row_choice_since(const struct row_choice *choice)
{
	return choice->begin.since_ns > choice->sums.since_ns ?
		       choice->begin.since_ns :
		       choice->sums.since_ns;
}

uint64_t row_choice_until(const struct row_choice *choice)
{
	uint64_t until_ns = choice->begin.until_ns;

	if (until_ns > choice->end.until_ns)
		until_ns = choice->end.until_ns;
	return until_ns < choice->sums.until_ns ? until_ns :
						  choice->sums.until_ns;
}

union sql_cell *row_out_begin(struct row_out *out)
{
	struct row_chunk *chunk = out->chunk;

	if (out->drops)
		return NULL;
	if (!chunk)
		chunk = out->chunk = row_queue_chunk(out->queue, out->table);
	if (!chunk) {
		out->status = -ERROR_MEMORY;
		return NULL;
	}
	chunk->nulls[chunk->count] = out->not_recorded;
	out->next = out->put_count;
	return row_chunk_cells(chunk, chunk->count);
}

/* Sets cell @index from its member of @fact. */
static void set_member(struct row_out *out, uint32_t index, const void *fact)
{
	const struct column *column = &out->table->columns[index];
	const void *member = (const char *)fact + column->offset;
	union sql_cell *cell = &out->cells[index];

	switch (column->value) {
	case VALUE_PUT:
	case VALUE_WRITTEN: /* used by reports only, like the next three */
	case VALUE_PRINTED:
	case VALUE_NAMED:
	case VALUE_COUNTED:
		break;
	case VALUE_64:
		cell->number = *(const int64_t *)member;
		break;
	case VALUE_U32:
		cell->number = *(const uint32_t *)member;
		break;
	case VALUE_ID:
		if (*(const int32_t *)member < 0)
			row_out_null(out, index);
		/* fallthrough */
	case VALUE_I32:
		cell->number = *(const int32_t *)member;
		break;
	case VALUE_8:
		cell->number = *(const uint8_t *)member;
		break;
	case VALUE_REAL:
		cell->real = *(const double *)member;
		break;
	case VALUE_TEXT:
		cell->text = *(const char *const *)member;
		break;
	}
}

static void sort_columns(struct row_out *out)
{
	for (uint32_t i = 0; i < out->table->column_count; i++)
		if (out->table->columns[i].value == VALUE_PUT)
			out->puts[out->put_count++] = (uint8_t)i;
		else
			out->members[out->member_count++] = (uint8_t)i;
}

/* Returns whether the query may accept a row with these members. */
static bool are_members_wanted(const struct row_out *out)
{
	for (uint32_t i = 0; i < out->member_count; i++)
		if (!wants_column(out->choice, out->chunk, out->chunk->count,
				  out->members[i]))
			return false;
	return true;
}

bool row_out_start(struct row_out *out, const void *fact)
{
	if (!out->put_count && !out->member_count)
		sort_columns(out);
	out->cells = row_out_begin(out);
	if (!out->cells)
		return false;
	for (uint32_t i = 0; i < out->member_count; i++)
		set_member(out, out->members[i], fact);
	out->next = 0;
	return !out->choice->is_limited || are_members_wanted(out);
}

void row_put_written(struct row_out *out,
		     void (*write)(FILE *file, const void *ctx),
		     const void *ctx)
{
	const char *text = NULL;

	if (!out->file)
		out->file = open_memstream(&out->text, &out->text_size);
	if (out->file) {
		rewind(out->file);
		write(out->file, ctx);
		fputc('\0', out->file);
		if (fflush(out->file) != EOF)
			text = row_out_text(out, out->text);
	}
	row_put_text(out, text);
}

const char *row_out_text(struct row_out *out, const char *text)
{
	return row_chunk_text(out->chunk, text);
}

static void push(struct row_out *out)
{
	row_queue_push(out->queue, out->chunk);
	out->chunk = NULL;
}

/* Returns whether to pass the chunk on. The first rows are passed on
 * immediately, because the reader may need no more. After that, single rows
 * would cost more for waking threads than for making them.
 */
static bool is_enough(struct row_out *out)
{
	if (out->chunk->count <= out->enough ||
	    !row_queue_is_awaited(out->queue))
		return false;
	out->enough = out->enough * 2 + 1;
	return true;
}

void row_out_end(struct row_out *out)
{
	struct row_chunk *chunk = out->chunk;

	assert(out->next == out->put_count);
	if (!row_choice_wants(out->choice, chunk, chunk->count) ||
	    row_queue_is_stopped(out->queue))
		return;
	chunk->count++;
	if (chunk->count == chunk->room || is_enough(out))
		push(out);
}

int row_out_flush(struct row_out *out)
{
	if (out->chunk)
		push(out);
	return out->status;
}

void row_out_close(struct row_out *out)
{
	row_chunk_free(out->chunk);
	if (out->file)
		fclose(out->file);
	free(out->text);
}
