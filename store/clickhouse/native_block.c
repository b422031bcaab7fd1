/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/native_block.h"

#include "common/byte_buffer.h"
#include "sql/rows/row_chunk.h"
#include "store/clickhouse/native_value.h"
#include "store/entry/store_entry.h"

#include <string.h>

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

static void put_nulls(struct byte_buffer *bytes, const struct column_of *column)
{
	uint32_t rows = column->chunk->count;
	uint8_t *nulls = byte_buffer_reserve(bytes, rows);

	if (!nulls)
		return;
	for (uint32_t i = 0; i < rows; i++)
		nulls[i] = is_null(column, i);
	bytes->size += rows;
}

/* One that is NULL has a value all the same: nothing. */
static void put_texts(struct byte_buffer *bytes, const struct column_of *column)
{
	for (uint32_t i = 0; i < column->chunk->count; i++)
		native_put_text(bytes, is_null(column, i) ?
					       "" :
					       cell_at(column, i)->text);
}

/* Eight bytes each, little-endian as all CPUs that this runs on. */
static void put_numbers(struct byte_buffer *bytes,
			const struct column_of *column)
{
	size_t size = column->chunk->count * sizeof(union sql_cell);
	uint8_t *to = byte_buffer_reserve(bytes, size);

	if (!to)
		return;
	for (uint32_t i = 0; i < column->chunk->count; i++) {
		union sql_cell cell = { .number = 0 };

		if (!is_null(column, i))
			cell = *cell_at(column, i);
		memcpy(to + i * sizeof(cell), &cell, sizeof(cell));
	}
	bytes->size += size;
}

static void put_head(struct byte_buffer *bytes, const char *name,
		     const char *type)
{
	native_put_text(bytes, name);
	native_put_text(bytes, type);
}

static void put_column(struct byte_buffer *bytes, const struct row_chunk *chunk,
		       uint32_t index)
{
	const struct sql_column *column = &chunk->table->columns[index];
	const struct column_of values = { chunk, index, column->type };
	bool may_be_null = native_may_be_null(column);

	put_head(bytes, column->name,
		 native_type_name(column->type, may_be_null));
	if (may_be_null)
		put_nulls(bytes, &values);
	if (column->type == SQL_TEXT)
		put_texts(bytes, &values);
	else
		put_numbers(bytes, &values);
}

/* A column that is the same in each row. */
static void put_day(struct byte_buffer *bytes, const struct store_entry *entry,
		    uint32_t rows)
{
	uint16_t day = native_day(entry);

	put_head(bytes, "day", "Date");
	for (uint32_t i = 0; i < rows; i++)
		byte_buffer_add(bytes, &day, sizeof(day));
}

/* Likewise. */
static void put_number(struct byte_buffer *bytes,
		       const struct store_entry *entry, uint32_t rows)
{
	put_head(bytes, "recording", "Int64");
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

/* Begins a block with @columns before those of @chunk. */
static void begin(struct byte_buffer *bytes, const struct row_chunk *chunk,
		  uint32_t columns)
{
	native_put_number(bytes, columns + count_shown(chunk->table));
	native_put_number(bytes, chunk->count);
}

static void put_columns(struct byte_buffer *bytes,
			const struct row_chunk *chunk)
{
	const struct sql_table *table = chunk->table;

	for (uint32_t i = 0; i < table->column_count; i++)
		if (!sql_column_is_hidden(&table->columns[i]))
			put_column(bytes, chunk, i);
}

void native_block_put(struct byte_buffer *bytes, const struct row_chunk *chunk,
		      const struct store_entry *entry)
{
	if (!chunk->count)
		return;
	begin(bytes, chunk, 2);
	put_day(bytes, entry, chunk->count);
	put_number(bytes, entry, chunk->count);
	put_columns(bytes, chunk);
}

static void put_fact(struct byte_buffer *bytes, const struct sql_column *column,
		     const union sql_cell *cell)
{
	put_head(bytes, column->name, native_type_name(column->type, false));
	if (column->type == SQL_TEXT)
		native_put_text(bytes, cell->text);
	else
		byte_buffer_u64(bytes, (uint64_t)cell->number);
}

void native_block_put_recording(struct byte_buffer *bytes,
				const struct row_chunk *chunk,
				const struct store_entry *entry)
{
	char tables[STORE_TABLES_TEXT];
	union sql_cell cells[ENTRY_COLUMNS];

	store_entry_cells(entry, tables, cells);
	begin(bytes, chunk, ENTRY_COLUMNS);
	for (int i = 0; i < ENTRY_COLUMNS; i++)
		if (i == ENTRY_DAY)
			put_day(bytes, entry, 1);
		else
			put_fact(bytes, &store_entry_columns[i], &cells[i]);
	put_columns(bytes, chunk);
}
