/* SPDX-License-Identifier: MIT */
#include "sql/kept/kept_rows.h"

#include "common/bytes.h"
#include "common/kept_file.h"
#include "report/steps/checkpoint_index.h"
#include "sql/kept/row_pack.h"
#include "sql/rows/row_queue.h"

#include <stdio.h>
#include <stdlib.h>

char *kept_rows_path(const struct recording *recording,
		     const struct sql_table *table)
{
	char name[64];

	snprintf(name, sizeof(name), "rows_%s", table->name);
	return checkpoint_index_path(recording, name);
}

/* Copies the texts, because @cells point into a chunk of the file. */
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

/* Emits the rows of chunk @index, or only checks them if @out is NULL. */
static bool read_chunk(const struct kept_file *file, size_t index,
		       const struct sql_table *table, struct row_out *out)
{
	const struct kept_chunk *chunk = array_at(&file->chunks, index);
	size_t size;
	void *bytes = kept_file_read(file, index, &size);
	bool is_whole = bytes &&
			kept_rows_read(bytes, size, chunk->records, table, out);

	free(bytes);
	return is_whole;
}

/* Checks all chunks first, so that no row is emitted if one is damaged. */
static bool send(const struct kept_file *file, struct row_out *out)
{
	for (size_t i = 0; i < file->chunks.count; i++)
		if (!read_chunk(file, i, out->table, NULL))
			return false;
	for (size_t i = 0; i < file->chunks.count; i++) {
		if (row_queue_is_stopped(out->queue))
			break;
		read_chunk(file, i, out->table, out);
	}
	return true;
}

/* Returns the last time in @window, which must not be empty. */
static uint64_t last_of(struct time_window window)
{
	return window.until_ns == UINT64_MAX || !window.until_ns ?
		       window.until_ns :
		       window.until_ns - 1;
}

struct kept_span kept_rows_wanted(const struct row_choice *choice)
{
	return choice->is_limited ?
		       (struct kept_span){
			       .first_begin_ns = choice->begin.since_ns,
			       .last_begin_ns = last_of(choice->begin),
			       .first_end_ns = choice->end.since_ns,
			       .last_end_ns = last_of(choice->end),
		       } :
		       KEPT_SPAN_ALL;
}

bool kept_rows_send(const char *path, uint64_t key, struct row_out *out)
{
	const struct kept_span wanted = kept_rows_wanted(out->choice);
	struct kept_file file;
	bool is_sent = kept_file_open(&file, path, key, &wanted) &&
		       send(&file, out);

	kept_file_close(&file);
	return is_sent;
}
