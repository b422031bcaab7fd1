/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/native_block.h"

#include "common/byte_buffer.h"
#include "store/clickhouse/row_binary.h"

/* Where the values of one column are. */
struct column_of {
	const struct row_chunk *chunk;
	uint32_t index;
	enum sql_type type;
};

static const union sql_cell *cell_at(const struct column_of *column,
				     uint32_t row)
{
	return &row_chunk_cells(column->chunk, row)[column->index];
}

static bool is_null(const struct column_of *column, uint32_t row)
{
	return row_chunk_is_null(column->chunk, row, column->index) ||
	       (column->type == SQL_TEXT && !cell_at(column, row)->text);
}

static const char *type_name(enum sql_type type, bool may_be_null)
{
	switch (type) {
	case SQL_INTEGER:
		return may_be_null ? "Nullable(Int64)" : "Int64";
	case SQL_REAL:
		return may_be_null ? "Nullable(Float64)" : "Float64";
	case SQL_TEXT:
		break;
	}
	return may_be_null ? "Nullable(String)" : "String";
}

static void put_nulls(struct byte_buffer *bytes, const struct column_of *column)
{
	for (uint32_t i = 0; i < column->chunk->count; i++) {
		uint8_t byte = is_null(column, i);

		byte_buffer_add(bytes, &byte, sizeof(byte));
	}
}

/* One that is NULL has a value all the same: nothing. */
static void put_values(struct byte_buffer *bytes,
		       const struct column_of *column)
{
	for (uint32_t i = 0; i < column->chunk->count; i++) {
		const union sql_cell *cell = cell_at(column, i);
		bool has_none = is_null(column, i);

		if (column->type == SQL_TEXT)
			row_binary_put_text(bytes, has_none ? "" : cell->text);
		else
			byte_buffer_u64(bytes,
					has_none ? 0 : (uint64_t)cell->number);
	}
}

static void put_column(struct byte_buffer *bytes, const struct row_chunk *chunk,
		       uint32_t index)
{
	const struct sql_column *column = &chunk->table->columns[index];
	const struct column_of values = { chunk, index, column->type };
	bool may_be_null = row_binary_may_be_null(column);

	row_binary_put_text(bytes, column->name);
	row_binary_put_text(bytes, type_name(column->type, may_be_null));
	if (may_be_null)
		put_nulls(bytes, &values);
	put_values(bytes, &values);
}

/* The same in each row. */
static void put_entry(struct byte_buffer *bytes,
		      const struct store_entry *entry, uint32_t rows)
{
	uint16_t day = row_binary_day(entry);

	row_binary_put_text(bytes, "day");
	row_binary_put_text(bytes, "Date");
	for (uint32_t i = 0; i < rows; i++)
		byte_buffer_add(bytes, &day, sizeof(day));
	row_binary_put_text(bytes, "recording");
	row_binary_put_text(bytes, "Int64");
	for (uint32_t i = 0; i < rows; i++)
		byte_buffer_u64(bytes, (uint64_t)entry->number);
}

static uint32_t count_shown(const struct sql_table *table)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < table->column_count; i++)
		count += !sql_column_is_hidden(&table->columns[i]);
	return count;
}

void native_block_put(struct byte_buffer *bytes, const struct row_chunk *chunk,
		      const struct store_entry *entry)
{
	const struct sql_table *table = chunk->table;

	if (!chunk->count)
		return;
	row_binary_put_number(bytes, count_shown(table) + 2);
	row_binary_put_number(bytes, chunk->count);
	put_entry(bytes, entry, chunk->count);
	for (uint32_t i = 0; i < table->column_count; i++)
		if (!sql_column_is_hidden(&table->columns[i]))
			put_column(bytes, chunk, i);
}
