/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PROCESS_ACCOUNTS_H
#define KT_TABLES_PROCESS_ACCOUNTS_H

struct array;
struct interrupt_sums;
struct task_groups;
struct task_names;

/* Appends to @processes the sums of @threads (both of struct time_account) by
 * process, or by @groups if that is not NULL, with the group's number as pid.
 * Adds the time on other processes' threads from @interrupts, also for the
 * kernel and for no process.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int process_accounts_add(const struct array *threads,
			 const struct task_names *names,
			 const struct task_groups *groups,
			 const struct interrupt_sums *interrupts,
			 struct array *processes);

#endif
