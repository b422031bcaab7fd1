/* SPDX-License-Identifier: MIT */
#include "attribution/time/on_cpu.h"

#include "attribution/time/task_contexts.h"
#include "report/steps/call_step.h"

static const uint8_t classes[CONTEXT_KINDS] = {
	[CONTEXT_NONE] = TIME_KERNEL,
	[CONTEXT_SYSTEM_CALL] = TIME_SYSTEM_CALL,
	[CONTEXT_FAULT] = TIME_FAULT,
	[CONTEXT_EXCEPTION] = TIME_FAULT,
	[CONTEXT_INTERRUPT] = TIME_INTERRUPT,
	[CONTEXT_NMI] = TIME_INTERRUPT,
	[CONTEXT_SOFTIRQ] = TIME_INTERRUPT,
	[CONTEXT_ITEM] = TIME_KERNEL,
	[CONTEXT_EXIT] = TIME_KERNEL,
	[CONTEXT_SCHEDULE] = TIME_KERNEL,
	[CONTEXT_THREAD] = TIME_KERNEL,
	[CONTEXT_TRACER] = TIME_TRACER,
};

static enum time_class class_below(const struct open_context *contexts,
				   size_t count)
{
	enum time_class below =
		count > 1 ? (enum time_class)classes[contexts[count - 2].kind] :
			    TIME_KERNEL;

	return below == TIME_INTERRUPT ? TIME_KERNEL : below;
}

enum time_class on_cpu_class(const struct open_context *contexts, size_t count,
			     bool in_user)
{
	uint8_t kind;

	if (!count)
		return in_user ? TIME_USER : TIME_KERNEL;
	kind = contexts[count - 1].kind;
	if (kind == CONTEXT_SCHEDULE)
		return class_below(contexts, count);
	if (kind == CONTEXT_SOFTIRQ && count > 1 &&
	    contexts[count - 2].kind == CONTEXT_THREAD)
		return TIME_KERNEL;
	if (classes[kind] == TIME_FAULT && count > 1 &&
	    contexts[count - 2].kind == CONTEXT_TRACER)
		return TIME_TRACER;
	return (enum time_class)classes[kind];
}

enum time_class on_cpu_resolved_class(const struct time_span *span)
{
	const struct open_context found[] = {
		span->context_count ? *span->contexts :
				      (struct open_context){ 0 },
		{ .kind = CONTEXT_SCHEDULE },
	};

	if (!(found->unseen & UNSEEN_BEGIN))
		return TIME_KERNEL;
	return on_cpu_class(found, 2, false);
}

enum unknown_reason on_cpu_reason(uint8_t cpu_state)
{
	static const uint8_t reasons[CPU_STATES] = {
		[CPU_UNSEEN] = UNKNOWN_UNTRACED,
		[CPU_FILTERED] = UNKNOWN_FILTERED,
		[CPU_OFF] = UNKNOWN_OFF,
		[CPU_GAP] = UNKNOWN_GAP,
	};

	return (enum unknown_reason)reasons[cpu_state];
}
