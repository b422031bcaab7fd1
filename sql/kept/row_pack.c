/* SPDX-License-Identifier: MIT */
#include "sql/kept/row_pack.h"

#include "common/bytes.h"

static void write_text(struct pack *pack, const char *text)
{
	bool is_there = text;

	pack_bool(pack, &is_there);
	if (is_there && !pack->failed) {
		byte_buffer_text(&pack->out, text);
		pack->failed |= pack->out.failed;
	}
}

void row_pack_write(struct pack *pack, const struct row_chunk *chunk,
		    uint32_t row)
{
	const struct sql_table *table = chunk->table;
	const union sql_cell *cells = row_chunk_cells(chunk, row);
	uint64_t nulls = chunk->nulls[row];

	pack_u64(pack, &nulls);
	for (uint32_t i = 0; i < table->column_count; i++) {
		/* The number of a NULL cell may be uninitialized. */
		bool is_null = nulls >> i & 1;
		uint64_t number = is_null ? 0 : (uint64_t)cells[i].number;

		if (table->columns[i].type == SQL_TEXT)
			write_text(pack, is_null ? NULL : cells[i].text);
		else
			pack_u64(pack, &number);
	}
}

static const char *read_text(struct pack *pack)
{
	bool is_there;
	const char *text;

	pack_bool(pack, &is_there);
	if (!is_there)
		return NULL;
	text = byte_reader_text(&pack->reader);
	pack_check(pack, !pack->reader.failed);
	return text;
}

void row_pack_read(struct pack *pack, const struct sql_table *table,
		   uint64_t *nulls, union sql_cell *cells)
{
	uint64_t number;

	pack_u64(pack, nulls);
	for (uint32_t i = 0; i < table->column_count; i++) {
		if (table->columns[i].type == SQL_TEXT) {
			cells[i].text = read_text(pack);
			continue;
		}
		pack_u64(pack, &number);
		cells[i].number = (int64_t)number;
	}
}
