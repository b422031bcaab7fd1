/* SPDX-License-Identifier: MIT */
#include "attribution/calls/call_fault.h"

#include "attribution/calls/system_call.h"
#include "attribution/time/task_contexts.h"

/* Returns the outermost fault in @call, or NULL. */
static const struct open_context *find(const struct system_call *call,
				       const struct open_context *open,
				       size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (open[i].kind == CONTEXT_FAULT &&
		    open[i].depth > call->depth)
			return &open[i];
	return NULL;
}

void call_fault_look(struct call_fault *fault, struct system_call *call,
		     const struct open_context *open, size_t count,
		     uint64_t time_ns)
{
	const struct open_context *found = find(call, open, count);

	if (found && found->serial == fault->serial)
		return;
	call_fault_end(fault, call, time_ns);
	if (!found)
		return;
	fault->serial = found->serial;
	fault->begin_ns = found->begin_ns;
	call->faults++;
}

void call_fault_end(struct call_fault *fault, struct system_call *call,
		    uint64_t time_ns)
{
	if (fault->serial)
		call->fault_ns += time_ns - fault->begin_ns;
	fault->serial = 0;
}
