/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CALL_FAULT_H
#define KT_ATTRIBUTION_CALL_FAULT_H

#include <stddef.h>
#include <stdint.h>

struct open_context;
struct system_call;

/* The page fault that is open in a system call. */
struct call_fault {
	uint64_t serial; /* 0: there is none */
	uint64_t begin_ns;
};

/* Looks which fault is open in @call among the @count contexts that its task has @open
 * from @time_ns on; @call gets how many there were, and how long.
 */
void call_fault_look(struct call_fault *fault, struct system_call *call,
		     const struct open_context *open, size_t count,
		     uint64_t time_ns);

/* No fault is open from @time_ns on. */
void call_fault_end(struct call_fault *fault, struct system_call *call,
		    uint64_t time_ns);

#endif
