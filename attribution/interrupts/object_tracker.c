/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker_internal.h"

#include "attribution/interrupts/owners_internal.h"
#include "report/text/task_names.h"
#include "symbolize/symbols/symbols.h"

#include <string.h>

uint32_t event_context_cpu(int64_t cpu)
{
	enum { MAX_CPUS = 1 << 16 };

	return cpu >= 0 && cpu < MAX_CPUS ? (uint32_t)cpu : 0;
}

bool event_context_is_task(const struct event_context *context)
{
	return context->is_traced && !context->slice && context->tid > 0;
}

struct owner *event_context_owner(const struct event_context *context)
{
	if (context->slice)
		return interrupt_slice_owner(context->owners, context->slice);
	return event_context_is_task(context) ?
		       owner_process(context->owners, context->pid) :
		       owner_nobody(context->owners);
}

uint32_t event_context_function(const struct event_context *context,
				int64_t address)
{
	struct symbol symbol;

	symbols_find(context->symbols, context->pid, context->time_ns,
		     (uint64_t)address, &symbol);
	return symbol.function;
}

void event_context_effect(const struct event_context *context,
			  struct owner *owner, double weight)
{
	struct interrupt_slice *slice = context->slice;

	if (slice && interrupt_slice_is_open(slice))
		owner_shares_add(context->owners, &slice->effects, owner,
				 weight, CERTAIN_EXACT);
}

struct owner *event_context_process(const struct event_context *context,
				    int32_t tid)
{
	int32_t pid = task_names_process(context->names, tid);

	return owner_process(context->owners, pid < 0 ? tid : pid);
}

/* Returns whether threads with the name @comm only work for others, so that
 * waking one is no evidence of an owner.
 */
static bool is_servant(const char *comm)
{
	static const char *const names[] = {
		"kworker/", "irq/",  "napi/",  "ksoftirqd/", "migration/",
		"rcu_",	    "rcuc/", "rcuog/", "rcuop/",     "rcuos/",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(comm, names[i], strlen(names[i])))
			return true;
	return false;
}

struct owner *event_context_woken(const struct event_context *context,
				  int32_t tid)
{
	const char *comm =
		task_names_comm(context->names, tid, context->time_ns);

	return is_servant(comm) ? NULL : event_context_process(context, tid);
}

void object_map_open(void *state, struct owners *owners)
{
	*(struct owner_map *)state = OWNER_MAP_OF(owners);
}

void object_map_close(void *state)
{
	owner_map_free(state);
}
