/* SPDX-License-Identifier: MIT */
#include "tables/processes/interrupt_sums.h"

#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "common/error.h"

static int add_to_thread(struct interrupt_sums *sums,
			 const struct interrupt_row *row)
{
	struct interrupt_shares *shares = keyed_array_add(
		&sums->threads,
		&(struct interrupt_shares){ .tid = row->victim_tid });

	if (!shares)
		return -ERROR_MEMORY;
	if (row->pid == row->victim_pid)
		shares->own_ns += row->total_ns;
	else
		shares->stolen_ns += row->total_ns;
	return 0;
}

static int add_to_process(struct interrupt_sums *sums,
			  const struct interrupt_row *row)
{
	struct interrupt_credit *credit =
		keyed_array_add(&sums->processes,
				&(struct interrupt_credit){ .pid = row->pid });

	if (!credit)
		return -ERROR_MEMORY;
	if (row->is_thread_work)
		credit->work_ns += row->total_ns;
	else
		credit->interrupt_ns += row->total_ns;
	return 0;
}

int interrupt_sums_add(struct interrupt_sums *sums,
		       const struct interrupt_accounts *accounts)
{
	const struct interrupt_rows *rows = interrupt_accounts_rows(accounts);
	const struct interrupt_row *row;
	int status = 0;

	for (size_t i = 0; !status && (row = interrupt_rows_at(rows, i)); i++) {
		if (!row->is_thread_work)
			status = add_to_thread(sums, row);
		if (!status && row->victim_pid != row->pid)
			status = add_to_process(sums, row);
	}
	return status;
}

void interrupt_sums_free(struct interrupt_sums *sums)
{
	keyed_array_free(&sums->threads);
	keyed_array_free(&sums->processes);
}

struct interrupt_shares interrupt_sums_thread(const struct interrupt_sums *sums,
					      int32_t tid)
{
	const struct interrupt_shares *shares =
		keyed_array_find(&sums->threads, &tid);

	return shares ? *shares : (struct interrupt_shares){ .tid = tid };
}

struct interrupt_credit
interrupt_sums_process(const struct interrupt_sums *sums, int32_t pid)
{
	const struct interrupt_credit *credit =
		keyed_array_find(&sums->processes, &pid);

	return credit ? *credit : (struct interrupt_credit){ .pid = pid };
}
