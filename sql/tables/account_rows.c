/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "common/array.h"
#include "sql/tables/account_columns.h"
#include "sql/tables/interrupt_columns.h"
#include "sql/tables/row_source.h"
#include "tables/processes/time_account.h"
#include "tables/table.h"

#include <stdlib.h>

/* The sums of threads' and processes' time, and of interrupt work by
 * beneficiary, from one account.
 */
struct account_rows {
	struct row_source source;
	const struct attribution_input *recording;
	const struct row_choice *choice;
	struct time_accounts *accounts;
	struct row_out *processes; /* each of these three may be NULL */
	struct row_out *threads;
	struct row_out *interrupts;
};

static int add_accounts(const struct account_rows *rows, struct row_out *out,
			const struct array *accounts, bool by_thread)
{
	const struct account_columns columns =
		account_columns_of(rows->recording, rows->choice, by_thread);

	for (size_t i = 0; i < accounts->count; i++)
		account_columns_add(&columns, out, array_at(accounts, i));
	return row_out_flush(out);
}

static int add_processes(const struct account_rows *rows,
			 const struct array *threads)
{
	struct array processes = ARRAY_OF(struct time_account);
	int status = process_accounts_add(threads, rows->recording->names, NULL,
					  time_accounts_sums(rows->accounts),
					  &processes);

	if (!status)
		status = add_accounts(rows, rows->processes, &processes, false);
	array_free(&processes);
	return status;
}

static int add_interrupts(const struct account_rows *rows)
{
	const struct interrupt_rows *sums = interrupt_accounts_rows(
		time_accounts_interrupts(rows->accounts));
	const struct interrupt_row *row;

	for (size_t i = 0; (row = interrupt_rows_at(sums, i)); i++)
		interrupt_columns_add(rows->recording, rows->choice,
				      rows->interrupts, row);
	return row_out_flush(rows->interrupts);
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct account_rows *rows = (struct account_rows *)source;
	struct array threads = ARRAY_OF(struct time_account);
	int status = time_accounts_end(rows->accounts);

	(void)stacks;
	(void)is_early;
	if (!status)
		status = time_accounts_threads(rows->accounts, &threads);
	if (!status && rows->threads)
		status = add_accounts(rows, rows->threads, &threads, true);
	if (!status && rows->processes)
		status = add_processes(rows, &threads);
	if (!status && rows->interrupts)
		status = add_interrupts(rows);
	array_free(&threads);
	return status;
}

static void close_rows(struct row_source *source)
{
	struct account_rows *rows = (struct account_rows *)source;

	time_accounts_free(rows->accounts);
	free(rows);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct account_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->source = (struct row_source){
		.end = end,
		.close = close_rows,
	};
	rows->recording = input->recording;
	rows->choice = input->choice;
	rows->processes = input->outs[TABLE_PROCESS];
	rows->threads = input->outs[TABLE_THREAD];
	rows->interrupts = input->outs[TABLE_INTERRUPT];
	rows->accounts = time_accounts_new(input->recording, true);
	if (!rows->accounts) {
		close_rows(&rows->source);
		return NULL;
	}
	return &rows->source;
}

const struct row_source_class account_source = {
	.needs_time = true,
	.open = open_rows,
};
