/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_PROCESS_ACCOUNTS_H
#define KT_ATTRIBUTION_PROCESS_ACCOUNTS_H

struct array;
struct interrupt_ledger;
struct task_names;

/* Appends to @processes the sums of @threads (both of struct time_account) by
 * process, with what others did for each by @ledger.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int process_accounts_add(const struct array *threads,
			 const struct task_names *names,
			 const struct interrupt_ledger *ledger,
			 struct array *processes);

#endif
