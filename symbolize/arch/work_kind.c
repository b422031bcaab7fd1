/* SPDX-License-Identifier: MIT */
#include "symbolize/arch/arch.h"

#include <string.h>

/* kernel/softirq.c, kernel/workqueue.c, kernel/entry/common.c and
 * kernel/sched/core.c of Linux 5.10 to 6.15; 6.12 moved __do_softirq()'s work
 * to handle_softirqs().
 */
static const struct arch_work common_work[] = {
	{ "handle_softirqs", false, WORK_SOFTIRQ },
	{ "__do_softirq", false, WORK_SOFTIRQ },
	{ "process_one_work", false, WORK_ITEM },
	{ "exit_to_user_mode_loop", false, WORK_EXIT },
	{ "arch_do_signal_or_restart", false, WORK_EXIT },
	{ "task_work_run", false, WORK_EXIT },
	{ "__schedule", false, WORK_SCHEDULE },
	{ "run_ksoftirqd", false, WORK_THREAD },
	{ "run_ktimerd", false, WORK_THREAD },
	/* kernel/events/ and include/trace/perf.h: handlers of tracepoints,
	 * switches of events with tasks, the trace unit's interrupt.
	 */
	{ "perf_", true, WORK_TRACER },
	{ "__perf_", true, WORK_TRACER },
	{ "__traceiter_", true, WORK_TRACER },
	/* What the drivers of Arm's trace units enter by. */
	{ "arm_trbe_irq_handler", false, WORK_TRACER },
	{ "etm_event_", true, WORK_TRACER },
};

static enum work_kind find_kind(const struct arch_work *rules, size_t count,
				const char *name)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(rules[i].name);

		if (rules[i].is_prefix ? !strncmp(rules[i].name, name, size) :
					 !strcmp(rules[i].name, name))
			return rules[i].kind;
	}
	return WORK_NONE;
}

enum work_kind arch_work_kind(const struct arch *arch, const char *name)
{
	enum work_kind kind = find_kind(arch->entries, arch->entry_count, name);

	if (kind != WORK_NONE)
		return kind;
	return find_kind(common_work,
			 sizeof(common_work) / sizeof(*common_work), name);
}

const char *arch_system_call(const struct arch *arch, const char *name)
{
	for (size_t i = 0; i < arch->system_call_prefix_count; i++) {
		size_t size = strlen(arch->system_call_prefixes[i]);

		if (!strncmp(arch->system_call_prefixes[i], name, size) &&
		    name[size])
			return name + size;
	}
	return NULL;
}
