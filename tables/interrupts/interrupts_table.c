/* SPDX-License-Identifier: MIT */
#include "attribution/events/event_handler.h"
#include "attribution/trackers.h"
#include "symbolize/symbols/symbols.h"
#include "tables/interrupts/interrupt_columns.h"
#include "tables/interrupts/interrupt_groups.h"
#include "tables/table.h"
#include "tables/table_records.h"
#include "tables/text/table_rows.h"

#include <stdbool.h>
#include <stdlib.h>

/* report --interrupts: interrupt work by kind, by the process whose time it
 * used, and by beneficiary.
 */
struct interrupts {
	struct event_handler handler;
	const struct attribution_input *input;
	struct interrupt_columns columns;
	struct interrupt_accounts *accounts;
	struct array rows; /* struct interrupt_row */
};

static struct interrupts *of_handler(struct event_handler *handler)
{
	return (struct interrupts *)handler;
}

static void close_interrupts(struct event_handler *handler)
{
	struct interrupts *interrupts = of_handler(handler);

	array_free(&interrupts->rows);
}

static bool open_interrupts(struct event_handler *handler,
			    const struct attribution_input *input)
{
	struct interrupts *interrupts = (struct interrupts *)handler;

	interrupts->input = input;
	interrupts->rows = ARRAY_OF(struct interrupt_row);
	interrupts->accounts = trackers_interrupts(input->trackers);
	interrupts->columns = (struct interrupt_columns){
		.grouping = interrupt_grouping_find(input->argument),
		.functions = symbols_functions(input->symbols),
		.input = input,
		.accounts = interrupts->accounts,
	};
	return interrupts->accounts;
}

static bool check(const struct attribution_input *input, char *message,
		  size_t size)
{
	const struct interrupt_grouping *grouping;
	int used;

	if (interrupt_grouping_find(input->argument))
		return true;
	used = snprintf(message, size,
			"cannot be by '%s'; "
			"use",
			input->argument);
	for (size_t i = 0; (grouping = interrupt_grouping_at(i)); i++)
		if (used >= 0 && (size_t)used < size)
			used += snprintf(message + used, size - (size_t)used,
					 "%s %s (%s)", i ? "," : "",
					 grouping->name, grouping->help);
	return false;
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct interrupts *interrupts = ctx;

	interrupt_columns_write(&interrupts->columns, writer,
				array_at(&interrupts->rows, index));
}

static int write_table(const struct interrupts *interrupts,
		       const struct attribution_output *output)
{
	struct attribution_output by_total = *output;

	if (!by_total.sort)
		by_total.sort = "total_ns";
	return table_rows_render(&by_total, write_row, interrupts,
				 interrupts->rows.count);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct interrupts *interrupts = of_handler(handler);
	const struct attribution_input *input = interrupts->input;
	int status = interrupt_groups(interrupts->accounts,
				      interrupts->columns.grouping,
				      input->groups, input->filter,
				      &interrupts->rows);

	if (!status)
		status = write_table(interrupts, output);
	if (!status && output->format == RECORD_TABLE) {
		interrupt_columns_sum(&interrupts->rows, output->out);
		interrupt_columns_explain(input, interrupts->rows.count,
					  output->out);
	}
	return status;
}

static void keep(struct event_handler *handler, struct kept_file_writer *writer)
{
	interrupt_accounts_keep(of_handler(handler)->accounts, writer);
}

static void pack_rest(struct event_handler *handler, struct pack *pack)
{
	interrupt_accounts_pack_rest(of_handler(handler)->accounts, pack);
}

static void take_record(struct event_handler *handler, struct pack *pack)
{
	interrupt_accounts_read(of_handler(handler)->accounts, pack);
}

static const struct table_records records = {
	.name = "interrupts",
	.is_shared = true,
	.keep = keep,
	.pack_rest = pack_rest,
	.take = take_record,
	.wanted = table_records_overlap,
};

const struct attribution_table interrupts_table = {
	.name = "interrupts",
	.columns = "kind function time on_group on_pid on_comm for_group "
		   "for_pid for_comm count total_ns mean_ns max_ns irq device "
		   "exact_ns exact_percent inferred_ns inferred_percent "
		   "nobody_ns nobody_percent",
	.argument = "[BY]",
	.help = "interrupt work by beneficiary (BY: for, on, both, …)",
	.has_groups = true,
	.check = check,
	.size = sizeof(struct interrupts),
	.open = open_interrupts,
	.render = render,
	.close = close_interrupts,
	.records = &records,
};
