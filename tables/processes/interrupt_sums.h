/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_INTERRUPT_SUMS_H
#define KT_TABLES_INTERRUPT_SUMS_H

#include "common/array.h"

#include <stdint.h>

struct interrupt_accounts;

/* The interrupt time of a thread, by whether it was for the thread's own
 * process (the thread benefited) or for others.
 */
struct interrupt_shares {
	int32_t tid;
	uint64_t own_ns;    /* for the thread's own process */
	uint64_t stolen_ns; /* for other processes, or for none */
};

/* Time on other processes' threads that was for one process. */
struct interrupt_credit {
	int32_t pid;
	uint64_t interrupt_ns; /* interrupt time on threads of other processes
				 * and on idle CPUs */
	/* work of kernel threads that run deferred work */
	uint64_t work_ns;
};

/* The shares of all threads and the credits of all processes. */
struct interrupt_sums {
	struct keyed_array threads;   /* struct interrupt_shares by tid */
	struct keyed_array processes; /* struct interrupt_credit by pid */
};

#define INTERRUPT_SUMS_NONE \
	((struct interrupt_sums){ \
		.threads = KEYED_ARRAY_OF(struct interrupt_shares, tid), \
		.processes = KEYED_ARRAY_OF(struct interrupt_credit, pid), \
	})

/* Adds all accounts of @accounts. Returns 0 or -ERROR_MEMORY. */
int interrupt_sums_add(struct interrupt_sums *sums,
		       const struct interrupt_accounts *accounts);
void interrupt_sums_free(struct interrupt_sums *sums);

/* Returns how the interrupt time of thread @tid divides; own_ns + stolen_ns is
 * the whole of it.
 */
struct interrupt_shares interrupt_sums_thread(const struct interrupt_sums *sums,
					      int32_t tid);

struct interrupt_credit
interrupt_sums_process(const struct interrupt_sums *sums, int32_t pid);

#endif
