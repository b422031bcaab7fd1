/* SPDX-License-Identifier: MIT */
#include "store/entry/row_threshold.h"

#include "sql/tables/sql_tables.h"

#include <string.h>

bool row_threshold_applies(enum sql_table_id id)
{
	const struct sql_table *table = sql_table_at(id);

	return id != TABLE_GAP && sql_table_role(table, ROLE_BEGIN) >= 0 &&
	       sql_table_role(table, ROLE_END) >= 0;
}

static void move_row(struct row_chunk *chunk, uint32_t from, uint32_t to)
{
	if (from == to)
		return;
	memcpy(row_chunk_cells(chunk, to), row_chunk_cells(chunk, from),
	       chunk->table->column_count * sizeof(*chunk->cells));
	chunk->nulls[to] = chunk->nulls[from];
}

void row_threshold_apply(struct row_chunk *chunk, uint64_t min_ns)
{
	int begin = sql_table_role(chunk->table, ROLE_BEGIN);
	int end = sql_table_role(chunk->table, ROLE_END);
	uint32_t kept = 0;

	if (!min_ns || !row_threshold_applies(chunk->table->id))
		return;
	for (uint32_t i = 0; i < chunk->count; i++) {
		const union sql_cell *cells = row_chunk_cells(chunk, i);
		int64_t took_ns = cells[end].number - cells[begin].number;

		if (took_ns >= 0 && (uint64_t)took_ns >= min_ns)
			move_row(chunk, i, kept++);
	}
	chunk->count = kept;
}
