/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CALL_FAULT_H
#define KT_ATTRIBUTION_CALL_FAULT_H

#include <stddef.h>
#include <stdint.h>

struct open_context;
struct system_call;

/* The page fault that is open in a system call. */
struct call_fault {
	uint64_t serial; /* 0: none is open */
	uint64_t begin_ns;
};

/* Updates @fault from the @count contexts that the task of @call has @open from
 * @time_ns on. Adds the number and the duration of page faults to @call.
 */
void call_fault_look(struct call_fault *fault, struct system_call *call,
		     const struct open_context *open, size_t count,
		     uint64_t time_ns);

/* Closes the open page fault, if any, at @time_ns. */
void call_fault_end(struct call_fault *fault, struct system_call *call,
		    uint64_t time_ns);

#endif
