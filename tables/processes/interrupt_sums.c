/* SPDX-License-Identifier: MIT */
#include "tables/processes/interrupt_sums.h"

#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "report/steps/call_step.h"

struct interrupt_shares
interrupt_sums_thread(const struct interrupt_accounts *accounts,
		      const struct task *task)
{
	struct interrupt_shares shares = { 0 };
	const struct interrupt_rows *rows = interrupt_accounts_rows(accounts);
	const struct interrupt_row *row;

	for (size_t i = 0; (row = interrupt_rows_at(rows, i)); i++) {
		if (row->victim_tid != task->tid || row->is_thread_work)
			continue;
		if (row->pid == row->victim_pid)
			shares.own_ns += row->total_ns;
		else
			shares.stolen_ns += row->total_ns;
	}
	return shares;
}

struct interrupt_credit
interrupt_sums_process(const struct interrupt_accounts *accounts, int32_t pid)
{
	struct interrupt_credit credit = { 0 };
	const struct interrupt_rows *rows = interrupt_accounts_rows(accounts);
	const struct interrupt_row *row;

	for (size_t i = 0; (row = interrupt_rows_at(rows, i)); i++) {
		if (row->pid != pid || row->victim_pid == pid)
			continue;
		if (row->is_thread_work)
			credit.work_ns += row->total_ns;
		else
			credit.interrupt_ns += row->total_ns;
	}
	return credit;
}
