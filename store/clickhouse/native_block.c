/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/native_block_internal.h"

#include "common/bytes.h"
#include "report/text/name_text.h"
#include "store/entry/store_entry.h"

#include <stdlib.h>
#include <string.h>

enum { SECONDS_OF_DAY = 86400 };

static void put_byte(struct byte_buffer *bytes, uint8_t byte)
{
	byte_buffer_add(bytes, &byte, sizeof(byte));
}

void native_put_number(struct byte_buffer *bytes, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		put_byte(bytes, (uint8_t)(number | 0x80));
	put_byte(bytes, (uint8_t)number);
}

void native_put_text(struct byte_buffer *bytes, const char *text)
{
	char *made = NULL;
	const char *utf8 = name_utf8(text, &made);
	size_t length = strlen(utf8 ? utf8 : text);

	native_put_number(bytes, length);
	byte_buffer_add(bytes, utf8 ? utf8 : text, length);
	free(made);
}

bool native_may_be_null(const struct column *column)
{
	return !column_role_is_time(column->role);
}

const char *native_type_name(enum column_type type, bool may_be_null)
{
	switch (type) {
	case COLUMN_INTEGER:
		return may_be_null ? "Nullable(Int64)" : "Int64";
	case COLUMN_REAL:
		return may_be_null ? "Nullable(Float64)" : "Float64";
	case COLUMN_TEXT:
		break;
	}
	return may_be_null ? "Nullable(String)" : "String";
}

uint16_t native_day(const struct store_entry *entry)
{
	int64_t day = entry->recorded_s / SECONDS_OF_DAY;

	return day < 0 || day > UINT16_MAX ? 0 : (uint16_t)day;
}

/* The location of a column's values. */
struct column_of {
	const struct row_chunk *chunk;
	uint32_t index;
	enum column_type type;
};

static const union sql_cell *cell_at(const struct column_of *column,
				     uint32_t row)
{
	return &row_chunk_cells(column->chunk, row)[column->index];
}

static bool is_null(const struct column_of *column, uint32_t row)
{
	return row_chunk_is_null(column->chunk, row, column->index) ||
	       (column->type == COLUMN_TEXT && !cell_at(column, row)->text);
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

/* Writes a column of texts. A NULL still has an empty value. */
static void put_texts(struct byte_buffer *bytes, const struct column_of *column)
{
	for (uint32_t i = 0; i < column->chunk->count; i++)
		native_put_text(bytes, is_null(column, i) ?
					       "" :
					       cell_at(column, i)->text);
}

/* Writes a column of numbers, eight bytes each, little-endian like all
 * supported CPUs.
 */
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

static void add_column(struct native_block *block,
		       const struct row_chunk *chunk, uint32_t index)
{
	const struct column *column = &chunk->table->columns[index];
	const struct column_of values = { chunk, index, column->type };

	if (native_may_be_null(column))
		put_nulls(&block->nulls[index], &values);
	if (column->type == COLUMN_TEXT)
		put_texts(&block->values[index], &values);
	else
		put_numbers(&block->values[index], &values);
}

void native_block_add(struct native_block *block, const struct row_chunk *chunk)
{
	block->table = chunk->table;
	block->rows += chunk->count;
	for (uint32_t i = 0; i < chunk->table->column_count; i++)
		if (!column_is_hidden(&chunk->table->columns[i]))
			add_column(block, chunk, i);
}

static void put_head(struct byte_buffer *bytes, const char *name,
		     const char *type)
{
	native_put_text(bytes, name);
	native_put_text(bytes, type);
}

/* Appends a column with the same day in each row. */
static void put_day(struct byte_buffer *bytes, const struct store_entry *entry,
		    uint32_t rows)
{
	uint16_t day = native_day(entry);

	put_head(bytes, "day", "Date");
	for (uint32_t i = 0; i < rows; i++)
		byte_buffer_add(bytes, &day, sizeof(day));
}

/* Appends a column with the entry's number in each row. */
static void put_number(struct byte_buffer *bytes,
		       const struct store_entry *entry, uint32_t rows)
{
	put_head(bytes, "recording", "Int64");
	for (uint32_t i = 0; i < rows; i++)
		byte_buffer_u64(bytes, (uint64_t)entry->number);
}

/* Moves the content of @from to the end of @to. */
static void move(struct byte_buffer *to, struct byte_buffer *from)
{
	if (from->size)
		byte_buffer_add(to, from->bytes, from->size);
	to->failed |= from->failed;
	from->size = 0;
}

static uint32_t count_shown(const struct sql_table *table)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < table->column_count; i++)
		count += !column_is_hidden(&table->columns[i]);
	return count;
}

/* Starts the block with @columns columns before those of the table. */
static void begin(const struct native_block *block, uint32_t columns,
		  struct byte_buffer *bytes)
{
	native_put_number(bytes, columns + count_shown(block->table));
	native_put_number(bytes, block->rows);
}

static void end(struct native_block *block, struct byte_buffer *bytes)
{
	for (uint32_t i = 0; i < block->table->column_count; i++) {
		const struct column *column = &block->table->columns[i];

		if (column_is_hidden(column))
			continue;
		put_head(bytes, column->name,
			 native_type_name(column->type,
					  native_may_be_null(column)));
		move(bytes, &block->nulls[i]);
		move(bytes, &block->values[i]);
	}
	block->rows = 0;
}

void native_block_write(struct native_block *block,
			const struct store_entry *entry,
			struct byte_buffer *bytes)
{
	if (!block->rows)
		return;
	begin(block, 2, bytes);
	put_day(bytes, entry, block->rows);
	put_number(bytes, entry, block->rows);
	end(block, bytes);
}

static void put_fact(struct byte_buffer *bytes, const struct column *column,
		     const union sql_cell *cell)
{
	put_head(bytes, column->name, native_type_name(column->type, false));
	if (column->type == COLUMN_TEXT)
		native_put_text(bytes, cell->text);
	else
		byte_buffer_u64(bytes, (uint64_t)cell->number);
}

void native_block_write_recording(struct native_block *block,
				  const struct store_entry *entry,
				  struct byte_buffer *bytes)
{
	char tables[STORE_TABLES_TEXT];
	union sql_cell cells[ENTRY_COLUMNS];

	store_entry_cells(entry, tables, cells);
	begin(block, ENTRY_COLUMNS, bytes);
	for (int i = 0; i < ENTRY_COLUMNS; i++)
		if (i == ENTRY_DAY)
			put_day(bytes, entry, 1);
		else
			put_fact(bytes, &store_entry_columns[i], &cells[i]);
	end(block, bytes);
}

void native_block_free(struct native_block *block)
{
	for (uint32_t i = 0; i < SQL_MOST_COLUMNS; i++) {
		byte_buffer_free(&block->nulls[i]);
		byte_buffer_free(&block->values[i]);
	}
	block->rows = 0;
}
