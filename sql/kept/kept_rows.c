/* SPDX-License-Identifier: MIT */
#include "sql/kept/kept_rows.h"

#include "common/array.h"
#include "common/pack.h"
#include "common/regular_file.h"
#include "sql/kept/kept_chunk.h"
#include "sql/kept/kept_file.h"
#include "sql/kept/row_pack.h"
#include "sql/rows/row_queue.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Texts are copied: @cells lie in a chunk of the file. */
static void add(struct row_out *out, uint64_t nulls,
		const union sql_cell *cells)
{
	const struct sql_table *table = out->table;
	union sql_cell *to = row_out_begin(out);

	if (!to)
		return;
	for (uint32_t i = 0; i < table->column_count; i++) {
		to[i] = cells[i];
		if (table->columns[i].type == SQL_TEXT && cells[i].text)
			to[i].text = row_out_text(out, cells[i].text);
		if (nulls >> i & 1)
			row_out_null(out, i);
	}
	row_out_end(out);
}

bool kept_rows_read(const void *bytes, size_t size, uint32_t count,
		    const struct sql_table *table, struct row_out *out)
{
	struct pack pack = pack_to_read(bytes, size);
	union sql_cell cells[SQL_MOST_COLUMNS];
	uint64_t nulls;

	for (uint32_t i = 0; i < count && !pack.failed; i++) {
		row_pack_read(&pack, table, &nulls, cells);
		if (out && !pack.failed)
			add(out, nulls, cells);
	}
	return pack_is_whole(&pack);
}

/* Hands on the rows of @chunk, or only looks at them. */
static bool read_chunk(const struct chunk_file *file,
		       const struct kept_chunk *chunk,
		       const struct sql_table *table, struct row_out *out)
{
	void *bytes = chunk_file_read(file, &chunk->chunk);
	bool is_whole = bytes && kept_rows_read(bytes, chunk->chunk.size,
						chunk->rows, table, out);

	free(bytes);
	return is_whole;
}

/* Reads those chunks of the list that may be wanted. */
static bool read_list(struct array *wanted, const struct row_choice *choice,
		      struct pack *pack)
{
	while (!pack->failed && byte_reader_left(&pack->reader)) {
		struct kept_chunk chunk;
		struct kept_chunk *item;

		kept_chunk_pack(&chunk, pack);
		if (pack->failed || !kept_chunk_is_wanted(&chunk, choice))
			continue;
		item = array_add(wanted);
		if (!item)
			return false;
		*item = chunk;
	}
	return pack_is_whole(pack);
}

static bool find_chunks(const struct chunk_file *file, uint64_t key,
			const struct row_choice *choice, struct array *wanted)
{
	struct kept_head head;
	struct pack pack;
	void *bytes;
	bool is_whole;

	if (!kept_head_read(&head, file->fd, key))
		return false;
	bytes = chunk_file_read(file, &head.chunks);
	if (!bytes)
		return false;
	pack = pack_to_read(bytes, head.chunks.size);
	is_whole = read_list(wanted, choice, &pack);
	free(bytes);
	return is_whole;
}

/* First all are looked at: where one is damaged, no row is handed on. */
static bool send(const struct chunk_file *file, const struct array *wanted,
		 struct row_out *out)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (!read_chunk(file, array_at(wanted, i), out->table, NULL))
			return false;
	for (size_t i = 0; i < wanted->count; i++) {
		if (row_queue_is_stopped(out->queue))
			break;
		read_chunk(file, array_at(wanted, i), out->table, out);
	}
	return true;
}

bool kept_rows_send(const char *path, uint64_t key, struct row_out *out)
{
	struct array wanted = ARRAY_OF(struct kept_chunk);
	const struct chunk_file file = { .fd = regular_file_open(path) };
	bool is_sent;

	if (file.fd < 0)
		return false;
	is_sent = find_chunks(&file, key, out->choice, &wanted) &&
		  send(&file, &wanted, out);
	close(file.fd);
	array_free(&wanted);
	return is_sent;
}
