/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/cell_result.h"

/* A cell without a result is NULL. */
void cell_result(sqlite3_context *context, const struct row_chunk *chunk,
		 uint32_t row, uint32_t column, sqlite3_destructor_type texts)
{
	const union sql_cell *cell = &row_chunk_cells(chunk, row)[column];

	if (row_chunk_is_null(chunk, row, column))
		return;
	switch (chunk->table->columns[column].type) {
	case SQL_INTEGER:
		sqlite3_result_int64(context, cell->number);
		break;
	case SQL_REAL:
		sqlite3_result_double(context, cell->real);
		break;
	case SQL_TEXT:
		sqlite3_result_text(context, cell->text, -1, texts);
		break;
	}
}
