/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_CONTEXTS_H
#define KT_MACHINE_TESTS_CONTEXTS_H

#include "machine/tests/conformance/truth_reader.h"
#include "machine/tests/functions/kernel_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel context where a CPU runs a task, derived from the truth alone:
 * the events that entered the kernel and have not returned yet, and a few
 * functions that start another kind of work; these functions end when the stack
 * pointer shows it.
 */
enum context_kind {
	CONTEXT_NONE,
	CONTEXT_SYSTEM_CALL,
	CONTEXT_FAULT,	   /* any exception but NMI */
	CONTEXT_INTERRUPT, /* or NMI */
	CONTEXT_SOFTIRQ,
	CONTEXT_EXIT, /* returning to user space */
	CONTEXT_SCHEDULE,
	CONTEXT_SOFTIRQ_THREAD,
	CONTEXT_TRACER, /* perf's functions */
};

/* Columns of the report; OFF is not traced. */
enum truth_class {
	TRUTH_CLASS_USER,
	TRUTH_CLASS_SYSTEM_CALL,
	TRUTH_CLASS_FAULT,
	TRUTH_CLASS_KERNEL,
	TRUTH_CLASS_INTERRUPT,
	TRUTH_CLASS_TRACER,
	TRUTH_CLASS_OFF,
	TRUTH_CLASSES,
};

enum { CONTEXTS = 32 };

struct context {
	uint8_t kind;  /* enum context_kind */
	bool is_break; /* ended by iret or sysret */
	/* else: address of its return address; 0: it was jumped to, and ends at
	 * the first return that belongs to no call in it
	 */
	uint64_t slot;
	uint32_t calls; /* without slot: calls that have not returned */
};

/* One task. */
struct contexts {
	struct context open[CONTEXTS];
	size_t count;
	bool is_in_user;
	/* it was seen to enter or leave the kernel */
	bool is_known;
	/* the context in which it was first seen, once is_known */
	uint8_t found; /* enum context_kind */
};

/* Applies a branch of the task; both ends of kernel entries and exits count. */
void contexts_take(struct contexts *task, const struct kernel_names *names,
		   const struct truth_event *event);

/* Returns the class that the task's time is charged to now. While the context
 * in which the task was first seen is unknown, that is TRUTH_CLASS_KERNEL and
 * *@is_provisional is true.
 */
enum truth_class contexts_class(const struct contexts *task,
				bool *is_provisional);

#endif
