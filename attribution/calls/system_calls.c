/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls.h"

#include "attribution/calls/system_calls_parts.h"
#include "attribution/time/call_entries.h"
#include "attribution/time/task_contexts.h"
#include "common/array.h"
#include "common/error.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

struct system_calls *system_calls_new(const struct function_table *functions,
				      const struct arch *arch,
				      const struct context_kinds *kinds,
				      const struct call_entries *entries)
{
	struct system_calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return NULL;
	calls->functions = functions;
	calls->arch = arch;
	calls->kinds = kinds;
	calls->entries = entries;
	calls->callers = ARRAY_OF(struct caller);
	return calls;
}

void system_calls_free(struct system_calls *calls)
{
	if (!calls)
		return;
	array_free(&calls->callers);
	free(calls);
}

struct caller *system_calls_caller(const struct system_calls *calls,
				   uint32_t index)
{
	if (index >= calls->callers.count)
		return NULL;
	return (struct caller *)calls->callers.items + index;
}

struct caller *system_calls_add_caller(struct system_calls *calls,
				       uint32_t index)
{
	struct caller *caller = system_calls_caller(calls, index);

	return caller ? caller : array_reach(&calls->callers, index);
}

static bool implements_call(const struct system_calls *calls, uint32_t function)
{
	const struct function *about = function_at(calls->functions, function);

	return about->space == 'k' &&
	       arch_system_call(calls->arch, about->base);
}

static int begin(const struct system_calls *calls, struct caller *caller,
		 const struct call_step *step)
{
	bool was_unseen = step->unseen & UNSEEN_BEGIN;

	/* The frame around the entry that has just ended. */
	if (was_unseen && step->time_ns == caller->unseen_end_ns)
		return CALL_NOTHING;
	caller->is_open = true;
	caller->call = (struct system_call){
		.task = step->task,
		.begin_ns = step->time_ns,
		.depth = step->depth,
		.end = was_unseen ? CALL_CUT : CALL_RETURNED,
		.function = was_unseen ? caller->unseen_function :
					 FUNCTION_UNKNOWN,
	};
	if (caller->has_entered)
		system_calls_name(calls, &caller->call);
	caller->has_entered = false;
	caller->unseen_function = FUNCTION_UNKNOWN;
	return CALL_BEGAN;
}

static void enter_in_call(const struct system_calls *calls,
			  struct caller *caller, const struct call_step *step)
{
	struct system_call *call = &caller->call;

	if (call->function == FUNCTION_UNKNOWN &&
	    implements_call(calls, step->function))
		call->function = step->function;
}

static int enter(const struct system_calls *calls, struct caller *caller,
		 const struct call_step *step)
{
	if (caller->is_open) {
		enter_in_call(calls, caller, step);
		return CALL_NOTHING;
	}
	if (context_kind_of(calls->kinds, step->function) ==
	    CONTEXT_SYSTEM_CALL)
		return begin(calls, caller, step);
	if (step->how == HOW_INFERRED && implements_call(calls, step->function))
		caller->unseen_function = step->function;
	return CALL_NOTHING;
}

/* Returns whether a sys_exit is to come of a call that is over. */
static bool awaits_result(const struct system_calls *calls,
			  const struct system_call *call)
{
	return calls->results_are_behind && call->has_enter &&
	       !call->has_exit && call->end == CALL_RETURNED;
}

static void end_fault(struct caller *caller, uint64_t time_ns)
{
	if (caller->fault)
		caller->call.fault_ns += time_ns - caller->fault_begin_ns;
	caller->fault = 0;
}

/* Returns the outermost fault in the call, or NULL. */
static const struct open_context *fault_in_call(const struct caller *caller,
						const struct open_context *open,
						size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (open[i].kind == CONTEXT_FAULT &&
		    open[i].depth > caller->call.depth)
			return &open[i];
	return NULL;
}

void system_calls_contexts(struct system_calls *calls,
			   const struct call_step *step,
			   const struct open_context *open, size_t count)
{
	struct caller *caller = system_calls_caller(calls, step->task->index);
	const struct open_context *fault;

	if (!caller || !caller->is_open)
		return;
	fault = fault_in_call(caller, open, count);
	if (fault && fault->serial == caller->fault)
		return;
	end_fault(caller, step->time_ns);
	if (!fault)
		return;
	caller->fault = fault->serial;
	caller->fault_begin_ns = fault->begin_ns;
	caller->call.faults++;
}

static int end(const struct system_calls *calls, struct caller *caller,
	       uint64_t time_ns)
{
	end_fault(caller, time_ns);
	caller->call.end_ns = time_ns;
	caller->is_open = false;
	caller->has_ended = true;
	caller->awaits_result = awaits_result(calls, &caller->call);
	return caller->awaits_result ? CALL_NOTHING : CALL_ENDED;
}

static int leave(const struct system_calls *calls, struct caller *caller,
		 const struct call_step *step)
{
	bool goes_on = step->detail;

	/* In a jump, as execve to the way out of interrupts. */
	if (!caller->is_open || goes_on)
		return CALL_NOTHING;
	if (step->depth != caller->call.depth)
		return CALL_NOTHING;
	if (step->unseen & UNSEEN_BEGIN)
		caller->unseen_end_ns = step->time_ns;
	if (step->unseen & UNSEEN_END)
		caller->call.end = CALL_CUT;
	return end(calls, caller, step->time_ns);
}

/* A task that has ended leaves its CPU for the last time. */
static int leave_cpu(const struct system_calls *calls, struct caller *caller,
		     const struct call_step *step)
{
	if (!caller->is_open || !caller->is_exiting)
		return CALL_NOTHING;
	if (caller->call.end == CALL_RETURNED)
		caller->call.end = CALL_NO_RETURN;
	return end(calls, caller, step->time_ns);
}

static int miss_a_part(struct caller *caller)
{
	caller->call.end = CALL_CUT;
	return CALL_NOTHING;
}

int system_calls_step(struct system_calls *calls, const struct call_step *step)
{
	struct caller *caller =
		system_calls_add_caller(calls, step->task->index);

	if (!caller)
		return -ERROR_MEMORY;
	caller->has_ended = false;
	switch ((enum call_step_kind)step->kind) {
	case STEP_ENTER:
		return enter(calls, caller, step);
	case STEP_EXIT:
		return leave(calls, caller, step);
	case STEP_LEAVE:
		return leave_cpu(calls, caller, step);
	case STEP_GAP:
		return miss_a_part(caller);
	case STEP_STATE:
		return step->detail == CPU_FILTERED ? miss_a_part(caller) :
						      CALL_NOTHING;
	case STEP_COUNT:
	case STEP_SWITCH:
	case STEP_END:
		break;
	}
	return CALL_NOTHING;
}

void system_calls_exit(struct system_calls *calls, const struct task *task)
{
	struct caller *caller = system_calls_caller(calls, task->index);

	if (caller)
		caller->is_exiting = true;
}

void system_calls_span(struct system_calls *calls, const struct time_span *span)
{
	struct caller *caller = system_calls_caller(calls, span->task->index);

	if (caller && caller->is_open &&
	    span->begin_ns >= caller->call.begin_ns)
		caller->call.class_ns[time_span_account(span)] +=
			span->end_ns - span->begin_ns;
}

const struct system_call *system_calls_of(const struct system_calls *calls,
					  uint32_t index)
{
	const struct caller *caller = system_calls_caller(calls, index);

	if (!caller || (!caller->is_open && !caller->has_ended))
		return NULL;
	return &caller->call;
}
