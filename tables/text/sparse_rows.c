/* SPDX-License-Identifier: MIT */
#include "tables/text/sparse_rows.h"

#include <stdlib.h>
#include <string.h>

struct sparse_rows sparse_rows_of(const char *const *columns, size_t count)
{
	return (struct sparse_rows){ columns, count,
				     ARRAY_OF(struct sparse_row) };
}

static struct sparse_row *row_at(const struct sparse_rows *rows, size_t index)
{
	return array_at(&rows->list, index);
}

void sparse_rows_free(struct sparse_rows *rows)
{
	for (size_t i = 0; i < rows->list.count; i++)
		free(row_at(rows, i)->name);
	array_free(&rows->list);
}

struct sparse_row *sparse_rows_add(struct sparse_rows *rows,
				   const char *section, const char *name)
{
	char *copy = name ? strdup(name) : NULL;
	struct sparse_row *row = name && !copy ? NULL : array_add(&rows->list);

	if (!row) {
		free(copy);
		return NULL;
	}
	row->section = section;
	row->name = copy;
	return row;
}

void sparse_row_set(struct sparse_row *row, size_t column, uint64_t value)
{
	row->present |= 1u << column;
	row->values[column] = (int64_t)value;
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct sparse_rows *rows = ctx;
	const struct sparse_row *row = row_at(rows, index);

	record_text(writer, "section", row->section);
	if (row->name)
		record_text(writer, "name", row->name);
	else
		record_absent(writer, "name");
	for (size_t i = 0; i < rows->column_count; i++)
		if (row->present & 1u << i)
			record_signed(writer, rows->columns[i], row->values[i]);
		else
			record_absent(writer, rows->columns[i]);
}

void sparse_rows_write(const struct sparse_rows *rows, FILE *out,
		       enum record_format format)
{
	struct record_writer writer = record_writer_of(out, format);

	record_writer_table(&writer, write_row, rows, rows->list.count);
}
