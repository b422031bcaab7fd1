/* SPDX-License-Identifier: MIT */
#include "attribution/time/on_cpu.h"

#include "attribution/time/task_work.h"
#include "report/steps/call_step.h"

static const uint8_t classes[WORK_KINDS] = {
	[WORK_NONE] = TIME_KERNEL,
	[WORK_SYSTEM_CALL] = TIME_SYSTEM_CALL,
	[WORK_FAULT] = TIME_FAULT,
	[WORK_EXCEPTION] = TIME_FAULT,
	[WORK_INTERRUPT] = TIME_INTERRUPT,
	[WORK_NMI] = TIME_INTERRUPT,
	[WORK_SOFTIRQ] = TIME_INTERRUPT,
	[WORK_ITEM] = TIME_KERNEL,
	[WORK_EXIT] = TIME_KERNEL,
	[WORK_SCHEDULE] = TIME_KERNEL,
	[WORK_THREAD] = TIME_KERNEL,
	[WORK_TRACER] = TIME_TRACER,
};

static enum time_class class_below(const struct open_work *works, size_t count)
{
	enum time_class below =
		count > 1 ? (enum time_class)classes[works[count - 2].kind] :
			    TIME_KERNEL;

	return below == TIME_INTERRUPT ? TIME_KERNEL : below;
}

enum time_class on_cpu_class(const struct open_work *works, size_t count,
			     bool in_user)
{
	uint8_t kind;

	if (!count)
		return in_user ? TIME_USER : TIME_KERNEL;
	kind = works[count - 1].kind;
	if (kind == WORK_SCHEDULE)
		return class_below(works, count);
	if (kind == WORK_SOFTIRQ && count > 1 &&
	    works[count - 2].kind == WORK_THREAD)
		return TIME_KERNEL;
	if (classes[kind] == TIME_FAULT && count > 1 &&
	    works[count - 2].kind == WORK_TRACER)
		return TIME_TRACER;
	return (enum time_class)classes[kind];
}

enum time_class on_cpu_settled_class(const struct time_span *span)
{
	const struct open_work found[] = {
		span->work_count ? *span->works : (struct open_work){ 0 },
		{ .kind = WORK_SCHEDULE },
	};

	if (!(found->doubt & DOUBT_BEGIN))
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
