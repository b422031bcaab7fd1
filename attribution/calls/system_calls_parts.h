/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SYSTEM_CALLS_PARTS_H
#define KT_ATTRIBUTION_SYSTEM_CALLS_PARTS_H

#include "attribution/calls/system_calls.h"
#include "common/array.h"

/* A task and the call that it is in. */
struct caller {
	struct system_call call;
	bool is_open;
	bool has_ended;	    /* its last step, or event, ended the call */
	bool awaits_result; /* the call is over, its sys_exit is to come */
	bool is_exiting;
	/* sys_enter came before the trace of the call began, as that of chosen calls
	 * does behind it.
	 */
	bool has_entered;
	uint64_t fault; /* serial of the open page fault, 0: there is none */
	uint64_t fault_begin_ns;
	/* The recording began in a call: what implements it, as the frames
	 * around it turn up one by one, outwards.
	 */
	uint32_t unseen_function;
	uint64_t unseen_end_ns; /* when its first entry function ended */
};

struct system_calls {
	const struct function_table *functions;
	const struct arch *arch;
	const struct context_kinds *kinds;
	const struct call_entries *entries;
	struct array callers;	 /* struct caller by task index */
	bool results_are_behind; /* the calls' ends, in the recording */
};

/* Sets what sys_enter told of @call, its task's last one. */
void system_calls_name(const struct system_calls *calls,
		       struct system_call *call);

/* Returns that of task @index, or NULL if it has done nothing yet. */
struct caller *system_calls_caller(const struct system_calls *calls,
				   uint32_t index);

/* The same, of a new one if there is none.  NULL: out of memory. */
struct caller *system_calls_add_caller(struct system_calls *calls,
				       uint32_t index);

#endif
