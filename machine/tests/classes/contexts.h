/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_CONTEXTS_H
#define KT_MACHINE_TESTS_CONTEXTS_H

#include "machine/tests/conformance/truth_reader.h"
#include "machine/tests/functions/kernel_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This is what a CPU does for a task, by the truth alone: the events by which
 * the kernel was entered and not left yet, and a few functions that begin
 * another kind of work; these end where the stack says so.
 */
enum context_kind {
	CONTEXT_NONE,
	CONTEXT_SYSTEM_CALL,
	CONTEXT_FAULT,	   /* any exception but NMI */
	CONTEXT_INTERRUPT, /* and NMI */
	CONTEXT_SOFTIRQ,
	CONTEXT_EXIT, /* on the way to user space */
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
	uint8_t kind;	/* enum context_kind */
	bool is_break;	/* ended by iret or sysret */
	uint64_t slot;	/* else: where its return address is, or 0: it
				 * was jumped to, and returns after as many
				 * returns as there were calls in it */
	uint32_t calls; /* without slot: calls that have not returned */
};

/* One task. */
struct contexts {
	struct context open[CONTEXTS];
	size_t count;
	bool is_in_user;
	/* It was seen to enter or leave the kernel, or else: */
	bool is_known;
	/* What it turned out to be in when it was first seen. */
	uint8_t found; /* enum context_kind */
};

/* Applies a branch of the task; of entries and exits, both ends count. */
void contexts_take(struct contexts *task, const struct kernel_names *names,
		   const struct truth_event *event);

/* What its time goes to now.  While nothing is known of what it was in when it
 * was first seen, that is TRUTH_CLASS_KERNEL and *@is_provisional.
 */
enum truth_class contexts_class(const struct contexts *task,
				bool *is_provisional);

#endif
