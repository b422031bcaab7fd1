/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_INTERRUPT_SUMS_H
#define KT_TABLES_INTERRUPT_SUMS_H

#include <stdint.h>

struct interrupt_accounts;
struct task;

/* Interrupt time by whom it was for.  What the process of the thread that it
 * ran on has of it, benefited the thread.
 */
struct interrupt_shares {
	uint64_t own_ns;    /* for the thread's own process */
	uint64_t stolen_ns; /* for others, or nobody */
};

/* Returns how the interrupt time of @task, by tid, divides; own_ns and
 * stolen_ns add up to it.
 */
struct interrupt_shares
interrupt_sums_thread(const struct interrupt_accounts *accounts,
		      const struct task *task);

/* This is what others' time went to for one process. */
struct interrupt_credit {
	uint64_t interrupt_ns; /* interrupt time on threads of other processes
				 * and on idle CPUs */
	uint64_t work_ns;      /* on kernel threads that are there for it */
};

struct interrupt_credit
interrupt_sums_process(const struct interrupt_accounts *accounts, int32_t pid);

#endif
