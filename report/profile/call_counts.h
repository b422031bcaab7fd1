/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_COUNTS_H
#define KT_REPORT_CALL_COUNTS_H

#include "report/steps/call_step.h"

#include <stdint.h>

/* Numbers of entries of a function, by kind. */
struct call_counts {
	uint64_t direct;   /* call instructions, system calls */
	uint64_t tail;	   /* jumps to the function's start */
	uint64_t async;	   /* interrupts and exceptions */
	uint64_t starts;   /* the trace starts with it */
	uint64_t inferred; /* it was already running when first seen */
};

/* Counts an entry @how. */
void call_counts_add(struct call_counts *counts, enum call_how how);

/* Adds @more to @counts. */
void call_counts_join(struct call_counts *counts,
		      const struct call_counts *more);

/* Returns the number of calls: all entries except starts and inferred ones. */
uint64_t call_counts_calls(const struct call_counts *counts);

#endif
