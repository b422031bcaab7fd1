/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_TRACE_H
#define KT_TABLES_CALL_TRACE_H

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One function on one path below a system call's entry. */
struct traced_function {
	uint32_t function;
	uint32_t depth;	 /* 0: the entry itself */
	uint32_t parent; /* TRACED_NONE for the entry */
	uint32_t first_child;
	uint32_t last_child;
	uint32_t next_sibling;
	bool is_interrupt; /* it broke in */
	uint64_t calls;
	uint64_t wall_ns;   /* with all below and its sleeps */
	uint64_t on_cpu_ns; /* of that, on a CPU */
};

#define TRACED_NONE UINT32_MAX

/* A call of one, which goes on. */
struct traced_call {
	uint32_t function; /* its place among them */
	uint64_t whole_ns; /* as it began: call_step.whole_ns */
};

/* This is what one system call called: each path once, with how often and how
 * long.
 */
struct call_trace {
	struct array functions; /* struct traced_function */
	struct array open; /* struct traced_call: that open at each depth */
	uint32_t base;	   /* depth of the entry in the task's stack */
};

#define CALL_TRACE_EMPTY \
	((struct call_trace){ \
		.functions = ARRAY_OF(struct traced_function), \
		.open = ARRAY_OF(struct traced_call), \
	})

void call_trace_free(struct call_trace *trace);

/* Forgets all; a call whose entry is at @base of the stack begins. */
void call_trace_begin(struct call_trace *trace, uint32_t base);

/* Applies a step of the call's task.  Returns 0 or -ERROR_MEMORY. */
int call_trace_take(struct call_trace *trace, const struct call_step *step);

/* Returns the first function, and the one after @index, callees before what
 * follows their caller; TRACED_NONE if there is none, and after the last.
 */
uint32_t call_trace_first(const struct call_trace *trace);
uint32_t call_trace_next(const struct call_trace *trace, uint32_t index);

const struct traced_function *call_trace_at(const struct call_trace *trace,
					    uint32_t index);

#endif
