/* SPDX-License-Identifier: MIT */
#include "sql/rows/row_choice.h"

#include "sql/rows/sql_table.h"

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

static bool wants_cell(const struct row_choice *choice, enum sql_role role,
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
	case ROLE_NONE:
	case ROLE_SINCE:
	case ROLE_UNTIL:
		break;
	}
	return true;
}

bool row_choice_wants(const struct row_choice *choice,
		      const struct row_chunk *chunk, uint32_t row)
{
	const struct sql_table *table = chunk->table;
	const union sql_cell *cells = row_chunk_cells(chunk, row);

	if (!choice->is_limited)
		return true;
	for (uint32_t i = 0; i < table->column_count; i++)
		if (table->columns[i].role != ROLE_NONE &&
		    !row_chunk_is_null(chunk, row, i) &&
		    !wants_cell(choice, table->columns[i].role, &cells[i]))
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
