/* SPDX-License-Identifier: MIT */
#include "sql/cached/cached_rows.h"

#include "common/bytes.h"
#include "common/files/cache_file.h"
#include "report/steps/checkpoint_index.h"
#include "sql/rows/row_queue.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* A serialized row: a bit for each column that is NULL; then the number of each
 * column, or for a text a flag for its presence and the text.
 */

static void write_text(struct pack *pack, const char *text)
{
	bool is_there = text;

	pack_bool(pack, &is_there);
	if (is_there && !pack->failed) {
		byte_buffer_text(&pack->out, text);
		pack->failed |= pack->out.failed;
	}
}

/* Appends row @row of @chunk. */
static void row_pack_write(struct pack *pack, const struct row_chunk *chunk,
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

/* Reads the next row of @table: sets *@nulls and @cells (by column), whose
 * texts point into @pack's bytes. The bytes are untrusted input: see struct
 * pack.
 */
static void row_pack_read(struct pack *pack, const struct sql_table *table,
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

struct writer {
	struct cached_writer kept; /* must be the first member */
	struct cache_file_writer *file;
};

/* Sets the start or the end of the row from the column with @role. In a table
 * without such a column rows have every time.
 */
static void find_time(const struct row_chunk *rows, uint32_t row,
		      enum sql_role role, uint64_t *first, uint64_t *last)
{
	int column = sql_table_role(rows->table, role);

	*first = 0;
	*last = UINT64_MAX;
	if (column >= 0)
		*first = *last =
			(uint64_t)row_chunk_cells(rows, row)[column].number;
}

struct cached_span cached_row_span(const struct row_chunk *rows, uint32_t row)
{
	struct cached_span span;

	find_time(rows, row, ROLE_BEGIN, &span.first_begin_ns,
		  &span.last_begin_ns);
	find_time(rows, row, ROLE_END, &span.first_end_ns, &span.last_end_ns);
	return span;
}

static void take(struct row_listener *listener, const struct row_chunk *chunk,
		 uint32_t row)
{
	const struct writer *writer = (struct writer *)listener;
	const struct cached_span span = cached_row_span(chunk, row);

	row_pack_write(cache_file_writer_pack(writer->file), chunk, row);
	cache_file_writer_add(writer->file, &span);
}

struct cached_writer *cached_writer_open(const char *path, uint64_t key)
{
	struct writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->kept.listener.take = take;
	writer->file = cache_file_writer_open(path, key);
	if (writer->file)
		return &writer->kept;
	free(writer);
	return NULL;
}

void cached_writer_finish(struct cached_writer *kept)
{
	const struct writer *writer = (struct writer *)kept;

	cache_file_writer_finish(writer->file);
}

void cached_writer_close(struct cached_writer *kept)
{
	struct writer *writer = (struct writer *)kept;

	if (!writer)
		return;
	cache_file_writer_close(writer->file);
	free(writer);
}

char *cached_rows_path(const struct recording *recording,
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

bool cached_rows_read(const void *bytes, size_t size, uint32_t count,
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
static bool read_chunk(const struct cache_file *file, size_t index,
		       const struct sql_table *table, struct row_out *out)
{
	const struct cached_chunk *chunk = array_at(&file->chunks, index);
	size_t size;
	void *bytes = cache_file_read(file, index, &size);
	bool is_whole = bytes && cached_rows_read(bytes, size, chunk->records,
						  table, out);

	free(bytes);
	return is_whole;
}

/* Checks all chunks first, so that no row is emitted if one is damaged. */
static bool send(const struct cache_file *file, struct row_out *out)
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

struct cached_span cached_rows_wanted(const struct row_choice *choice)
{
	return choice->is_limited ?
		       (struct cached_span){
			       .first_begin_ns = choice->begin.since_ns,
			       .last_begin_ns = last_of(choice->begin),
			       .first_end_ns = choice->end.since_ns,
			       .last_end_ns = last_of(choice->end),
		       } :
		       CACHED_SPAN_ALL;
}

bool cached_rows_send(const char *path, uint64_t key, struct row_out *out)
{
	const struct cached_span wanted = cached_rows_wanted(out->choice);
	struct cache_file file;
	bool is_sent = cache_file_open(&file, path, key, &wanted) &&
		       send(&file, out);

	cache_file_close(&file);
	return is_sent;
}
