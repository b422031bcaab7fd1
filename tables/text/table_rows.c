/* SPDX-License-Identifier: MIT */
#include "tables/text/table_rows.h"

#include "common/array.h"
#include "common/error.h"
#include "report/steps/task_choice.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/histogram.h"
#include "tables/text/recorded.h"

#include <assert.h>
#include <stdlib.h>

static bool is_in_range(const struct attribution_input *input,
			const struct task *task, uint64_t begin_ns)
{
	return step_filter_cpu(input->filter, (uint32_t)task->cpu) &&
	       time_window_has(input->window, begin_ns);
}

bool table_wants(const struct attribution_input *input, const struct task *task,
		 uint64_t begin_ns)
{
	return step_filter_task(input->filter, task) &&
	       is_in_range(input, task, begin_ns);
}

bool table_leaves_out(const struct attribution_input *input,
		      const struct task *task, uint64_t begin_ns)
{
	return !step_filter_has_tasks(input->filter) &&
	       !step_filter_task(input->filter, task) &&
	       is_in_range(input, task, begin_ns);
}

static const void *member_of(const struct column *column,
			     const struct column_row *row)
{
	return (const char *)row->fact + column->offset;
}

void column_write_group(struct record_writer *writer,
			const struct column *column,
			const struct column_row *row)
{
	const int32_t *group = member_of(column, row);

	record_text(writer, column->name,
		    task_groups_label(row->input->groups, *group).text);
}

void column_write_comm(struct record_writer *writer,
		       const struct column *column,
		       const struct column_row *row)
{
	const int32_t *tid = member_of(column, row);

	record_text(writer, column->name,
		    task_names_last(row->input->names, *tid));
}

void column_write_function(struct record_writer *writer,
			   const struct column *column,
			   const struct column_row *row)
{
	const uint32_t *function = member_of(column, row);

	record_text(writer, column->name,
		    function_at(symbols_functions(row->input->symbols),
				*function)
			    ->name);
}

void column_write_mean(struct record_writer *writer,
		       const struct column *column,
		       const struct column_row *row)
{
	record_number(writer, column->name,
		      histogram_mean(member_of(column, row)));
}

void column_write_median(struct record_writer *writer,
			 const struct column *column,
			 const struct column_row *row)
{
	record_number(writer, column->name,
		      histogram_quantile(member_of(column, row), 0.5));
}

void column_write_p99(struct record_writer *writer, const struct column *column,
		      const struct column_row *row)
{
	record_number(writer, column->name,
		      histogram_quantile(member_of(column, row), 0.99));
}

static void write_id(struct record_writer *writer, const char *name, int32_t id)
{
	if (id < 0)
		record_absent(writer, name);
	else
		record_signed(writer, name, id);
}

static void write_text(struct record_writer *writer, const char *name,
		       const char *text)
{
	if (text)
		record_text(writer, name, text);
	else
		record_absent(writer, name);
}

static void write_value(struct record_writer *writer,
			const struct column *column,
			const struct column_row *row)
{
	const void *member = member_of(column, row);

	switch (column->value) {
	case VALUE_PUT:
		assert(false); /* only of SQL */
		break;
	case VALUE_64:
		record_number(writer, column->name, *(const uint64_t *)member);
		break;
	case VALUE_U32:
		record_number(writer, column->name, *(const uint32_t *)member);
		break;
	case VALUE_I32:
		record_signed(writer, column->name, *(const int32_t *)member);
		break;
	case VALUE_ID:
		write_id(writer, column->name, *(const int32_t *)member);
		break;
	case VALUE_8:
		record_number(writer, column->name, *(const uint8_t *)member);
		break;
	case VALUE_REAL:
		record_float(writer, column->name, *(const double *)member);
		break;
	case VALUE_TEXT:
		write_text(writer, column->name, *(const char *const *)member);
		break;
	case VALUE_WRITTEN:
		column->write(writer, column, row);
		break;
	case VALUE_NAMED:
		write_text(writer, column->name, column->text(row));
		break;
	case VALUE_COUNTED:
		record_number(writer, column->name, column->number(row));
		break;
	case VALUE_PRINTED:
		record_written(writer, column->name, column->print, row);
		break;
	}
}

/* Returns whether a bool of the state is set; @offset may be 0. */
static bool is_set(const struct column_row *row, uint32_t offset)
{
	return !offset || *(const bool *)((const char *)row->state + offset);
}

static bool has_column(const struct column *column,
		       const struct column_row *row)
{
	if (!is_set(row, column->shown_by) ||
	    (row->is_text && !is_set(row, column->known_by)))
		return false;
	switch (column->rows) {
	case COLUMN_ALWAYS:
		break;
	case COLUMN_OF_GROUPS:
		return row->input->groups;
	case COLUMN_OF_TASKS:
		return !row->input->groups;
	case COLUMN_OF_DATA:
		return !row->is_text;
	}
	return true;
}

void columns_write(struct record_writer *writer, const struct column *columns,
		   const struct column_row *row)
{
	for (const struct column *column = columns; column->name; column++) {
		if (!has_column(column, row))
			continue;
		if (!writer->is_header && is_set(row, column->known_by))
			write_value(writer, column, row);
		else
			record_absent(writer, column->name);
	}
}

static const void *fact_at(const struct table_rows *rows, uint64_t index)
{
	const void *item;

	if (rows->fact_at)
		return rows->fact_at(rows->state, index);
	item = array_at(rows->facts, index);
	return rows->are_pointers ? *(const void *const *)item : item;
}

/* Returns all columns of @rows; a format may lack some of them. */
static const struct column *columns_of(const struct table_rows *rows)
{
	return rows->columns ? rows->columns : rows->table->columns;
}

void table_rows_write(struct record_writer *writer, const void *rows_,
		      uint64_t index)
{
	const struct table_rows *rows = rows_;
	const struct column_row row = {
		.fact = writer->is_header ? NULL : fact_at(rows, index),
		.state = rows->state,
		.input = rows->input,
		.is_text = rows->is_text,
	};

	columns_write(writer, columns_of(rows), &row);
}

int table_rows_order(const struct attribution_output *output,
		     record_fields *fields, const void *ctx, uint64_t count,
		     uint64_t **order)
{
	if (output->sort)
		return record_order(fields, ctx, count, output->sort, order);
	*order = calloc(count + 1, sizeof(**order));
	if (!*order)
		return -ERROR_MEMORY;
	for (uint64_t i = 0; i < count; i++)
		(*order)[i] = i;
	return 0;
}

/* Rows in another order. */
struct ordered {
	record_fields *fields;
	const void *ctx;
	const uint64_t *order;
};

static void write_ordered(struct record_writer *writer, const void *ctx,
			  uint64_t index)
{
	const struct ordered *ordered = ctx;

	ordered->fields(writer, ordered->ctx, ordered->order[index]);
}

int table_rows_render(const struct attribution_output *output,
		      record_fields *fields, const void *ctx, uint64_t count)
{
	struct record_writer writer =
		record_writer_of(output->out, output->format);
	struct ordered ordered = { .fields = fields, .ctx = ctx };
	uint64_t *order;
	int status = table_rows_order(output, fields, ctx, count, &order);

	if (status < 0)
		return status;
	ordered.order = order;
	writer.shown = output->shown;
	writer.is_brief = output->is_brief;
	writer.hides_zeros = output->is_brief && !output->is_verbose;
	record_writer_table(&writer, write_ordered, &ordered,
			    count < output->top ? count : output->top);
	free(order);
	return 0;
}

/* Writes the header of a CSV without rows. */
static void show_names(const struct attribution_output *output,
		       const struct table_rows *rows)
{
	struct record_writer writer =
		record_writer_of(output->out, output->format);

	record_writer_names(&writer, table_rows_write, rows);
	record_writer_end(&writer);
}

int table_rows_show(const struct attribution_output *output,
		    const struct table_rows *rows)
{
	const struct attribution_table *table = rows->table;
	struct table_rows shown = *rows;
	int status;

	shown.is_text = output->format == RECORD_TABLE;
	status = table_rows_render(output, table_rows_write, &shown,
				   rows->count);
	if (!status && !rows->count && output->format == RECORD_CSV)
		show_names(output, &shown);
	if (!rows->count && output->is_empty)
		*output->is_empty = true;
	if (!status && table->needs && output->format == RECORD_TABLE)
		recorded_table(rows->input, table->needs, table->need_count,
			       rows->count, table->none, output->out);
	return status;
}

bool columns_have(const struct column *columns, const char *name)
{
	for (; columns && columns->name; columns++)
		if (record_head_is(columns->name, name) ||
		    record_head_is(name, columns->name))
			return true;
	return false;
}

const char *columns_names(const struct column *columns,
			  char text[COLUMN_NAMES_BYTES])
{
	size_t size = 0;

	*text = '\0';
	for (; columns && columns->name && size < COLUMN_NAMES_BYTES; columns++)
		size += (size_t)snprintf(text + size, COLUMN_NAMES_BYTES - size,
					 "%s%s", size ? " " : "",
					 columns->name);
	return text;
}

void columns_explain_json(const struct column *columns, FILE *out)
{
	const char *before = "";

	for (; columns && columns->name; columns++, before = ",") {
		fprintf(out, "%s\n{\"name\":", before);
		json_string(out, columns->name);
		fputs(",\"heading\":", out);
		json_string(out,
			    record_head_of(columns->name, INT16_MAX).lines[1]);
		fputs(",\"meaning\":", out);
		json_string(out, columns->meaning);
		fputs("}", out);
	}
}

void columns_explain(const struct column *columns, FILE *out)
{
	for (; columns && columns->name; columns++)
		fprintf(out, "  %-26s %-26s %s\n",
			record_head_of(columns->name, INT16_MAX).lines[1],
			columns->name, columns->meaning);
}
