/* SPDX-License-Identifier: MIT */
#include "report/diff/diff_table.h"

#include "common/error.h"
#include "report/diff/diff_row.h"

#include <stdlib.h>
#include <string.h>

struct diff_table diff_table_new(void)
{
	return (struct diff_table){
		.rows = ARRAY_OF(struct diff_row),
		.notes = ARRAY_OF(char *),
	};
}

static struct diff_row *row_at(const struct diff_table *table, size_t index)
{
	return array_at(&table->rows, index);
}

static void free_names(struct diff_row *row)
{
	free(row->comm);
	free(row->name);
}

void diff_table_free(struct diff_table *table)
{
	for (size_t i = 0; i < table->rows.count; i++)
		free_names(row_at(table, i));
	array_free(&table->rows);
	for (size_t i = 0; i < table->notes.count; i++)
		free(*(char **)array_at(&table->notes, i));
	array_free(&table->notes);
}

static void fold(struct diff_table *table)
{
	for (size_t i = 0; i < table->rows.count; i++)
		for (int side = 0; side < 2; side++)
			diff_side_fold(&row_at(table, i)->sides[side]);
}

void diff_table_begin(struct diff_table *table, int side)
{
	fold(table);
	table->recordings[side]++;
}

/* A linear search suffices, because there are only some thousands of functions.
 */
static struct diff_row *find(struct diff_table *table,
			     enum diff_section section, const char *comm,
			     const char *name)
{
	struct diff_row *row;

	for (size_t i = 0; i < table->rows.count; i++) {
		row = row_at(table, i);
		if (row->section == section && !strcmp(row->name, name) &&
		    !strcmp(row->comm, comm))
			return row;
	}
	row = array_add(&table->rows);
	if (!row)
		return NULL;
	row->section = section;
	row->comm = strdup(comm);
	row->name = strdup(name);
	if (row->comm && row->name)
		return row;
	free_names(row);
	table->rows.count--;
	return NULL;
}

int diff_table_add(struct diff_table *table, int side,
		   enum diff_section section, const char *comm,
		   const char *name, const struct diff_value *value)
{
	struct diff_row *row = find(table, section, comm, name);
	struct diff_value *sum;

	if (!row)
		return -ERROR_MEMORY;
	sum = &row->sides[side].current;
	sum->count += value->count;
	sum->total_ns += value->total_ns;
	if (sum->p99_ns < value->p99_ns)
		sum->p99_ns = value->p99_ns;
	return 0;
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct diff_table *table = ctx;
	const struct diff_row *x = a;
	const struct diff_row *y = b;
	double change_x = diff_row_change(x, table->recordings);
	double change_y = diff_row_change(y, table->recordings);

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	change_x = change_x < 0 ? -change_x : change_x;
	change_y = change_y < 0 ? -change_y : change_y;
	if (change_x != change_y)
		return change_x > change_y ? -1 : 1;
	return strcmp(x->name, y->name);
}

void diff_table_add_tracer(struct diff_table *table, int side, double tracer_ns)
{
	table->tracer_ns[side] += tracer_ns;
}

void diff_table_leave_out(struct diff_table *table, enum diff_section section,
			  const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->rows.count; i++) {
		struct diff_row *row = row_at(table, i);

		if (row->section == section &&
		    (!name || !strcmp(row->name, name)))
			free_names(row);
		else
			*row_at(table, kept++) = *row;
	}
	table->rows.count = kept;
	if (!name)
		table->is_left_out[section] = true;
}

int diff_table_note(struct diff_table *table, char *text)
{
	int status = array_append(&table->notes, &text);

	if (status < 0)
		free(text);
	return status;
}

void diff_table_end(struct diff_table *table)
{
	fold(table);
	if (table->rows.count)
		qsort_r(table->rows.items, table->rows.count,
			sizeof(struct diff_row), compare, table);
}
