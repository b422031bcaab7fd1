/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_PROCESS_ACCOUNTS_H
#define KT_ATTRIBUTION_PROCESS_ACCOUNTS_H

struct array;
struct interrupt_accounts;
struct task_names;

/* Appends to @processes the sums of @threads (both of struct time_account) by
 * process, with what others did for each by @interrupts.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int process_accounts_add(const struct array *threads,
			 const struct task_names *names,
			 const struct interrupt_accounts *interrupts,
			 struct array *processes);

#endif
