/* SPDX-License-Identifier: MIT */
#include "tests/store_rows_fixture.h"
#include "sql/tables/sql_tables.h"

#include <check.h>
#include <string.h>

struct row_chunk *store_rows_new(enum sql_table_id id)
{
	struct row_chunk *rows = row_chunk_new(sql_table_at(id));

	ck_assert_ptr_nonnull(rows);
	return rows;
}

void store_rows_add(struct row_chunk *rows)
{
	ck_assert_uint_lt(rows->count, rows->room);
	rows->nulls[rows->count] = UINT32_MAX;
	rows->count++;
}

/* Returns the cell of the last row and marks it as not NULL. */
static union sql_cell *cell_of(struct row_chunk *rows, const char *column)
{
	const struct sql_table *table = rows->table;
	uint32_t row = rows->count - 1;
	uint32_t i = 0;

	while (i < table->column_count &&
	       strcmp(table->columns[i].name, column) != 0)
		i++;
	ck_assert_msg(i < table->column_count, "%s.%s", table->name, column);
	rows->nulls[row] &= ~(1u << i);
	return row_chunk_cells(rows, row) + i;
}

void store_rows_number(struct row_chunk *rows, const char *column,
		       int64_t number)
{
	cell_of(rows, column)->number = number;
}

void store_rows_text(struct row_chunk *rows, const char *column,
		     const char *text)
{
	cell_of(rows, column)->text = text;
}
