/* SPDX-License-Identifier: MIT */
#include "attribution/events/event_handler.h"
#include "attribution/interrupts/interrupt_accounts.h"
#include "common/array.h"
#include "report/text/record_writer.h"
#include "tables/overview.h"
#include "tables/processes/process_accounts.h"
#include "tables/processes/time_account.h"
#include "tables/processes/time_columns.h"
#include "tables/table.h"
#include "tables/table_records.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <stdbool.h>
#include <stdlib.h>

/* The time of each process by class, and optionally of each thread; and the
 * recorded facts.
 */
struct processes {
	struct event_handler handler;
	const struct attribution_input *input;
	struct time_accounts *accounts;
	bool by_thread;
};

static void close_table(struct event_handler *handler)
{
	struct processes *processes = (struct processes *)handler;

	time_accounts_free(processes->accounts);
}

/* Groups need credits: a group may have no threads, only time of others'
 * threads.
 */
static bool has_credits(const struct attribution_input *input)
{
	return input->groups || time_accounts_follow(input->events);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input, bool by_thread)
{
	struct processes *processes = (struct processes *)handler;

	processes->input = input;
	processes->by_thread = by_thread;
	processes->accounts = time_accounts_new(input, has_credits(input));
	return processes->accounts;
}

static bool open_processes(struct event_handler *handler,
			   const struct attribution_input *input)
{
	return open_table(handler, input, false);
}

static bool open_threads(struct event_handler *handler,
			 const struct attribution_input *input)
{
	return open_table(handler, input, true);
}

/* Context while one of the two tables is written. */
struct sheet {
	struct time_columns columns;
	struct recorded recorded;
	struct array rows; /* struct time_account */
	uint64_t *order;   /* indices of rows */
};

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct sheet *sheet = ctx;

	time_columns_write(&sheet->columns, writer,
			   array_at(&sheet->rows, index));
}

static void write_ordered(struct record_writer *writer, const void *ctx,
			  uint64_t index)
{
	const struct sheet *sheet = ctx;

	write_row(writer, ctx, sheet->order[index]);
}

static int compare_busy(const void *a, const void *b)
{
	const struct time_account *x = a;
	const struct time_account *y = b;

	if (x->busy_ns != y->busy_ns)
		return x->busy_ns > y->busy_ns ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int fill(const struct processes *processes, struct sheet *sheet)
{
	struct array threads = ARRAY_OF(struct time_account);
	int status = time_accounts_threads(processes->accounts, &threads);

	if (sheet->columns.by_thread && !processes->input->groups) {
		sheet->rows = threads;
	} else {
		if (!status)
			status = process_accounts_add(
				&threads, processes->input->names,
				processes->input->groups,
				time_accounts_sums(processes->accounts),
				&sheet->rows);
		array_free(&threads);
	}
	array_sort(&sheet->rows, compare_busy);
	return status;
}

static void write_part(struct sheet *sheet,
		       const struct attribution_output *output,
		       enum time_columns_part part)
{
	struct record_writer writer =
		record_writer_of(output->out, output->format);
	uint64_t count = sheet->rows.count;

	sheet->columns.part = part;
	record_writer_table(&writer, write_ordered, sheet,
			    count < output->top ? count : output->top);
}

static int write_filled(struct sheet *sheet,
			const struct attribution_output *output)
{
	int status = table_rows_order(output, write_row, sheet,
				      sheet->rows.count, &sheet->order);

	if (status < 0)
		return status;
	if (output->format != RECORD_TABLE) {
		write_part(sheet, output, TIME_COLUMNS_ALL);
		return 0;
	}
	write_part(sheet, output, TIME_COLUMNS_CLASSES);
	time_columns_explain(&sheet->columns, &sheet->recorded, output->out);
	fputs("\n", output->out);
	write_part(sheet, output, TIME_COLUMNS_REST);
	return 0;
}

static int write_sheet(const struct processes *processes,
		       const struct attribution_output *output, bool by_thread)
{
	struct sheet sheet = {
		.columns = {
			.evidence = off_cpu_evidence_of(
				processes->input->recording,
				processes->input->events),
			.is_followed = time_accounts_follow(
				processes->input->events),
			.by_thread = by_thread,
			.groups = processes->input->groups,
		},
		.recorded = recorded_of(processes->input->recording,
					processes->input->events),
		.rows = ARRAY_OF(struct time_account),
	};
	int status = fill(processes, &sheet);

	sheet.columns.lacks_kernel = !sheet.recorded.has_kernel;
	if (!status)
		status = write_filled(&sheet, output);
	array_free(&sheet.rows);
	free(sheet.order);
	return status;
}

static int write_json(const struct processes *processes,
		      const struct attribution_output *output)
{
	int status;

	fputs("{\n", output->out);
	overview_write_json(processes->input->recording, output->stacks,
			    output->out);
	fprintf(output->out,
		"\"%s\":", processes->input->groups ? "groups" : "processes");
	status = write_sheet(processes, output, false);
	if (!status && processes->by_thread && !processes->input->groups) {
		fputs(",\"threads\":", output->out);
		status = write_sheet(processes, output, true);
	}
	fputs("}\n", output->out);
	return status;
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	const struct processes *processes = (struct processes *)handler;
	int status = time_accounts_end(processes->accounts);

	if (status < 0)
		return status;
	if (output->format == RECORD_JSON)
		return write_json(processes, output);
	status = write_sheet(processes, output, processes->by_thread);
	if (!status && output->format == RECORD_TABLE)
		overview_write_text(processes->input->recording, output->stacks,
				    output->out);
	return status;
}

static void keep(struct event_handler *handler, struct kept_file_writer *writer)
{
	const struct processes *processes = (const struct processes *)handler;

	time_accounts_keep(processes->accounts, writer);
}

static void pack_rest(struct event_handler *handler, struct pack *pack)
{
	const struct processes *processes = (const struct processes *)handler;

	time_accounts_pack_tasks(processes->accounts, pack);
}

static void take_record(struct event_handler *handler, struct pack *pack)
{
	const struct processes *processes = (const struct processes *)handler;

	time_accounts_read(processes->accounts, pack);
}

static struct interrupt_accounts *interrupts_of(struct event_handler *handler)
{
	const struct processes *processes = (const struct processes *)handler;

	return time_accounts_interrupts(processes->accounts);
}

static void keep_interrupts(struct event_handler *handler,
			    struct kept_file_writer *writer)
{
	interrupt_accounts_keep(interrupts_of(handler), writer);
}

static void pack_interrupts(struct event_handler *handler, struct pack *pack)
{
	interrupt_accounts_pack_rest(interrupts_of(handler), pack);
}

static void take_interrupts(struct event_handler *handler, struct pack *pack)
{
	interrupt_accounts_read(interrupts_of(handler), pack);
}

/* Shared with --interrupts: the beneficiaries of interrupt time. */
static const struct table_records interrupt_records = {
	.name = "interrupts",
	.is_shared = true,
	.are_needed = has_credits,
	.keep = keep_interrupts,
	.pack_rest = pack_interrupts,
	.take = take_interrupts,
	.wanted = table_records_overlap,
};

static const struct table_records records = {
	.name = "threads",
	.more = &interrupt_records,
	.keep = keep,
	.pack_rest = pack_rest,
	.take = take_record,
	.wanted = table_records_overlap,
};

const struct attribution_table processes_table = {
	.name = "processes",
	.columns = "pid " TIME_COLUMN_NAMES,
	.help = "where each process's time went (default)",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct processes),
	.open = open_processes,
	.render = render,
	.close = close_table,
	.records = &records,
};

const struct attribution_table threads_table = {
	.name = "threads",
	.columns = "pid tid " TIME_COLUMN_NAMES,
	.help = "where each thread's time went",
	.is_of_tasks = true,
	.has_groups = true,
	.size = sizeof(struct processes),
	.open = open_threads,
	.render = render,
	.close = close_table,
	.records = &records,
};
