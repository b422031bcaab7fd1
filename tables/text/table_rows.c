/* SPDX-License-Identifier: MIT */
#include "tables/text/table_rows.h"

#include "common/error.h"
#include "report/steps/task_choice.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"
#include "tables/table.h"

#include <stdlib.h>

void table_rows_known(const struct table_rows *rows, bool is_known,
		      const char *name, uint64_t value)
{
	if (is_known)
		record_number(rows->writer, name, value);
	else if (!rows->is_text)
		record_absent(rows->writer, name);
}

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

bool table_rows_group(struct record_writer *writer,
		      const struct attribution_input *input, const char *name,
		      int32_t group)
{
	if (input->groups)
		record_text(writer, name,
			    task_groups_label(input->groups, group).text);
	return input->groups;
}

void table_rows_process(struct record_writer *writer,
			const struct attribution_input *input, int32_t pid)
{
	if (table_rows_group(writer, input, "group", pid))
		return;
	record_signed(writer, "pid", pid);
	record_text(writer, "comm", task_names_last(input->names, pid));
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
