/* SPDX-License-Identifier: MIT */
#include "attribution/overview.h"
#include "attribution/table.h"
#include "attribution/time_account.h"
#include "attribution/time_columns.h"
#include "attribution/witness.h"
#include "common/array.h"
#include "common/error.h"

#include <stdbool.h>
#include <stdlib.h>

/* Where each process's time went, and each thread's where that is asked for;
 * and what was recorded.
 */
struct processes {
	struct witness witness;
	const struct attribution_input *input;
	struct time_accounts *accounts;
	bool by_thread;
};

static struct witness *inner(struct witness *witness)
{
	return time_accounts_witness(((struct processes *)witness)->accounts);
}

static void take_step(struct witness *witness, const struct call_step *step)
{
	inner(witness)->step(inner(witness), step);
}

static void take_event(struct witness *witness,
		       const struct event_record *event)
{
	inner(witness)->event(inner(witness), event);
}

static void take_record(struct witness *witness,
			const struct sideband_record *record)
{
	inner(witness)->record(inner(witness), record);
}

static void close(struct witness *witness)
{
	struct processes *processes = (struct processes *)witness;

	time_accounts_free(processes->accounts);
	free(processes);
}

static struct witness *open(const struct attribution_input *input,
			    bool by_thread)
{
	struct processes *processes = calloc(1, sizeof(*processes));

	if (!processes)
		return NULL;
	processes->witness = (struct witness){
		.step = take_step,
		.event = take_event,
		.record = take_record,
	};
	processes->input = input;
	processes->by_thread = by_thread;
	processes->accounts = time_accounts_new(input);
	if (!processes->accounts) {
		close(&processes->witness);
		return NULL;
	}
	return &processes->witness;
}

static struct witness *open_processes(const struct attribution_input *input)
{
	return open(input, false);
}

static struct witness *open_threads(const struct attribution_input *input)
{
	return open(input, true);
}

/* One of the two tables, while it is written. */
struct sheet {
	struct time_columns columns;
	struct array rows;	/* struct time_account */
};

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct sheet *sheet = ctx;

	time_columns_write(&sheet->columns, writer,
			   array_at(&sheet->rows, index));
}

static int fill(const struct processes *processes, struct sheet *sheet,
		const struct attribution_output *output)
{
	int status = sheet->columns.by_thread ?
			     time_accounts_threads(processes->accounts,
						   &sheet->rows) :
			     time_accounts_processes(processes->accounts,
						     &sheet->rows);

	if (!status)
		status = time_columns_sort(&sheet->rows, output->sort);
	if (sheet->rows.count > output->top)
		sheet->rows.count = output->top;
	return status;
}

static int write_sheet(const struct processes *processes,
		       const struct attribution_output *output, bool by_thread)
{
	struct record_writer writer =
		record_writer_of(output->out, output->format);
	struct sheet sheet = {
		.columns = {
			.evidence = off_cpu_evidence_of(
				processes->input->recording,
				processes->input->events),
			.by_thread = by_thread,
		},
		.rows = ARRAY_OF(struct time_account),
	};
	int status = fill(processes, &sheet, output);

	writer.is_compact = true;
	if (!status)
		record_writer_table(&writer, write_row, &sheet,
				    sheet.rows.count);
	if (!status && output->format == RECORD_TABLE)
		time_columns_explain(&sheet.columns, output->out);
	array_free(&sheet.rows);
	return status;
}

static int write_json(const struct processes *processes,
		      const struct attribution_output *output)
{
	int status;

	fputs("{\n", output->out);
	overview_write_json(processes->input->recording, output->stacks,
			    output->out);
	fputs("\"processes\":", output->out);
	status = write_sheet(processes, output, false);
	if (!status && processes->by_thread) {
		fputs(",\"threads\":", output->out);
		status = write_sheet(processes, output, true);
	}
	fputs("}\n", output->out);
	return status;
}

static int render(struct witness *witness,
		  const struct attribution_output *output)
{
	const struct processes *processes = (struct processes *)witness;
	int status = time_accounts_end(processes->accounts);

	if (status < 0)
		return status;
	if (output->format == RECORD_JSON)
		return write_json(processes, output);
	status = write_sheet(processes, output, processes->by_thread);
	if (!status && output->format == RECORD_TABLE)
		overview_write_text(processes->input->recording,
				    output->stacks, output->out);
	return status;
}

const struct attribution_table processes_option = {
	.name = "processes",
	.help = "where each process's time went (default)",
	.open = open_processes,
	.render = render,
	.close = close,
};

const struct attribution_table threads_option = {
	.name = "threads",
	.help = "the same for each thread",
	.open = open_threads,
	.render = render,
	.close = close,
};
