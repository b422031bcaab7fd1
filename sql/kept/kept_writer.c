/* SPDX-License-Identifier: MIT */
#include "sql/kept/kept_writer.h"

#include "common/kept_file.h"
#include "sql/kept/row_pack.h"

#include <stddef.h>
#include <stdlib.h>

struct writer {
	struct kept_writer kept; /* must be the first member */
	struct kept_file_writer *file;
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

struct kept_span kept_row_span(const struct row_chunk *rows, uint32_t row)
{
	struct kept_span span;

	find_time(rows, row, ROLE_BEGIN, &span.first_begin_ns,
		  &span.last_begin_ns);
	find_time(rows, row, ROLE_END, &span.first_end_ns, &span.last_end_ns);
	return span;
}

static void take(struct row_listener *listener, const struct row_chunk *chunk,
		 uint32_t row)
{
	const struct writer *writer = (struct writer *)listener;
	const struct kept_span span = kept_row_span(chunk, row);

	row_pack_write(kept_file_writer_pack(writer->file), chunk, row);
	kept_file_writer_add(writer->file, &span);
}

struct kept_writer *kept_writer_open(const char *path, uint64_t key)
{
	struct writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->kept.listener.take = take;
	writer->file = kept_file_writer_open(path, key);
	if (writer->file)
		return &writer->kept;
	free(writer);
	return NULL;
}

void kept_writer_finish(struct kept_writer *kept)
{
	const struct writer *writer = (struct writer *)kept;

	kept_file_writer_finish(writer->file);
}

void kept_writer_close(struct kept_writer *kept)
{
	struct writer *writer = (struct writer *)kept;

	if (!writer)
		return;
	kept_file_writer_close(writer->file);
	free(writer);
}
