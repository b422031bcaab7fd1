/* SPDX-License-Identifier: MIT */
#include "attribution/table_rows.h"

#include "attribution/table.h"
#include "common/error.h"
#include "report/record_order.h"

#include <stdlib.h>

void table_rows_known(const struct table_rows *rows, bool is_known,
		      const char *name, uint64_t value)
{
	if (is_known)
		record_number(rows->writer, name, value);
	else if (!rows->is_text)
		record_absent(rows->writer, name);
}

void table_rows_missing(FILE *out, const char *columns, const char *events,
			const char *level)
{
	fprintf(out,
		"\nNot known: %s: the recording has no %s "
		"(record --events=%s).\n",
		columns, events, level);
}

/* The rows in another order. */
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
	uint64_t shown = count < output->top ? count : output->top;
	struct ordered ordered = { .fields = fields, .ctx = ctx };
	uint64_t *order = NULL;
	int status;

	if (!output->sort) {
		record_writer_table(&writer, fields, ctx, shown);
		return 0;
	}
	status = record_order(fields, ctx, count, output->sort, &order);
	if (status < 0)
		return status;
	ordered.order = order;
	record_writer_table(&writer, write_ordered, &ordered, shown);
	free(order);
	return 0;
}
