/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/row_binary.h"

#include "common/byte_buffer.h"

#include <string.h>

enum { SECONDS_OF_DAY = 86400 };

bool row_binary_may_be_null(const struct sql_column *column)
{
	switch (column->role) {
	case ROLE_BEGIN:
	case ROLE_END:
	case ROLE_MOMENT:
		return false;
	case ROLE_NONE:
	case ROLE_CPU:
	case ROLE_TID:
	case ROLE_PID:
	case ROLE_FUNCTION:
	case ROLE_SINCE:
	case ROLE_UNTIL:
		break;
	}
	return true;
}

static void put_byte(struct byte_buffer *bytes, uint8_t byte)
{
	byte_buffer_add(bytes, &byte, sizeof(byte));
}

void row_binary_put_number(struct byte_buffer *bytes, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		put_byte(bytes, (uint8_t)(number | 0x80));
	put_byte(bytes, (uint8_t)number);
}

void row_binary_put_text(struct byte_buffer *bytes, const char *text)
{
	size_t length = strlen(text);

	row_binary_put_number(bytes, length);
	byte_buffer_add(bytes, text, length);
}

static void put_value(struct byte_buffer *bytes, enum sql_type type,
		      const union sql_cell *cell)
{
	switch (type) {
	case SQL_INTEGER:
	case SQL_REAL:
		/* Eight bytes, little-endian as all CPUs that this runs on. */
		byte_buffer_add(bytes, cell, sizeof(*cell));
		break;
	case SQL_TEXT:
		row_binary_put_text(bytes, cell->text);
		break;
	}
}

static void put_cells(struct byte_buffer *bytes, const struct row_chunk *chunk,
		      uint32_t row)
{
	const struct sql_table *table = chunk->table;
	const union sql_cell *cells = row_chunk_cells(chunk, row);

	for (uint32_t i = 0; i < table->column_count; i++) {
		const struct sql_column *column = &table->columns[i];
		bool is_null = row_chunk_is_null(chunk, row, i) ||
			       (column->type == SQL_TEXT && !cells[i].text);

		if (sql_column_is_hidden(column))
			continue;
		if (row_binary_may_be_null(column))
			put_byte(bytes, is_null);
		if (!is_null)
			put_value(bytes, column->type, &cells[i]);
	}
}

static void put_day(struct byte_buffer *bytes, const struct store_entry *entry)
{
	uint16_t day = row_binary_day(entry);

	put_byte(bytes, (uint8_t)day);
	put_byte(bytes, (uint8_t)(day >> 8));
}

void row_binary_put_entry(struct byte_buffer *bytes,
			  const struct row_chunk *chunk,
			  const struct store_entry *entry)
{
	char tables[STORE_TABLES_TEXT];
	union sql_cell cells[ENTRY_COLUMNS];

	store_entry_cells(entry, tables, cells);
	for (int i = 0; i < ENTRY_COLUMNS; i++)
		if (i == ENTRY_DAY)
			put_day(bytes, entry);
		else
			put_value(bytes, store_entry_columns[i].type,
				  &cells[i]);
	put_cells(bytes, chunk, 0);
}

uint16_t row_binary_day(const struct store_entry *entry)
{
	int64_t day = entry->recorded_s / SECONDS_OF_DAY;

	return day < 0 || day > UINT16_MAX ? 0 : (uint16_t)day;
}
