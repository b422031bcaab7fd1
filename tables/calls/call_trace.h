/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_TRACE_H
#define KT_TABLES_CALL_TRACE_H

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One call path below a system call's entry. */
struct traced_function {
	uint32_t function;
	uint32_t depth;	 /* 0: the entry itself */
	uint32_t parent; /* TRACED_NONE for the entry */
	uint32_t first_child;
	uint32_t last_child;
	uint32_t next_sibling;
	bool is_interrupt; /* an interrupt that occurred there */
	uint64_t calls;
	uint64_t wall_ns;   /* including callees and sleeps */
	uint64_t on_cpu_ns; /* part of wall_ns on a CPU */
};

#define TRACED_NONE UINT32_MAX

/* An open call of a traced_function. */
struct traced_call {
	uint32_t function; /* its index in call_trace.functions */
	uint64_t whole_ns; /* call_step.whole_ns at its start */
};

/* The call tree of one system call: each path once, with its number of calls
 * and its time.
 */
struct call_trace {
	struct array functions; /* struct traced_function */
	struct array open;	/* struct traced_call, open calls by depth */
	uint32_t base;		/* depth of the entry in the task's stack */
};

#define CALL_TRACE_EMPTY \
	((struct call_trace){ \
		.functions = ARRAY_OF(struct traced_function), \
		.open = ARRAY_OF(struct traced_call), \
	})

void call_trace_free(struct call_trace *trace);

/* Resets @trace for a call whose entry is at depth @base of the task's stack.
 */
void call_trace_begin(struct call_trace *trace, uint32_t base);

/* Applies a call event of the call's task. Returns 0 or -ERROR_MEMORY. */
int call_trace_take(struct call_trace *trace, const struct call_step *step);

/* Return the first function, and the one after @index, in depth-first order;
 * TRACED_NONE if the trace is empty, and after the last.
 */
uint32_t call_trace_first(const struct call_trace *trace);
uint32_t call_trace_next(const struct call_trace *trace, uint32_t index);

const struct traced_function *call_trace_at(const struct call_trace *trace,
					    uint32_t index);

#endif
