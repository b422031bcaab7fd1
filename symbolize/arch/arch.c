/* SPDX-License-Identifier: MIT */
#include "symbolize/arch/arch.h"

#include <string.h>

static const struct arch *const known_archs[] = {
	&arch_x86_64,
	&arch_arm64,
	&arch_arm,
};

const struct arch *arch_for(enum recording_arch arch)
{
	for (size_t i = 0; i < sizeof(known_archs) / sizeof(*known_archs); i++)
		if (known_archs[i]->arch == arch)
			return known_archs[i];
	return &arch_x86_64;
}

static bool rule_fits(const struct arch_rule *rule, const char *name,
		      size_t length)
{
	size_t size = strlen(rule->name);
	size_t at = 0;

	if (length < size)
		return false;
	switch (rule->match) {
	case ARCH_WHOLE:
		if (length > size)
			return false;
		break;
	case ARCH_PREFIX:
		break;
	case ARCH_SUFFIX:
		at = length - size;
		break;
	}
	return memcmp(rule->name, name + at, size) == 0;
}

enum code_role arch_role(const struct arch *arch, const char *name,
			 size_t length)
{
	for (size_t i = 0; i < arch->rule_count; i++)
		if (rule_fits(&arch->rules[i], name, length))
			return arch->rules[i].role;
	return CODE_FUNCTION;
}

/* kernel/softirq.c, kernel/workqueue.c, kernel/entry/common.c and
 * kernel/sched/core.c of Linux 5.10 to 6.15; 6.12 moved __do_softirq()'s work
 * to handle_softirqs().
 */
static const struct arch_context common_work[] = {
	{ "handle_softirqs", false, CONTEXT_SOFTIRQ },
	{ "__do_softirq", false, CONTEXT_SOFTIRQ },
	{ "process_one_work", false, CONTEXT_ITEM },
	{ "exit_to_user_mode_loop", false, CONTEXT_EXIT },
	{ "arch_do_signal_or_restart", false, CONTEXT_EXIT },
	{ "task_work_run", false, CONTEXT_EXIT },
	{ "__schedule", false, CONTEXT_SCHEDULE },
	{ "run_ksoftirqd", false, CONTEXT_THREAD },
	{ "run_ktimerd", false, CONTEXT_THREAD },
	/* kernel/events/ and include/trace/perf.h: handlers of tracepoints,
	 * switches of events with tasks, the trace unit's interrupt.
	 */
	{ "perf_", true, CONTEXT_TRACER },
	{ "__perf_", true, CONTEXT_TRACER },
	{ "__traceiter_", true, CONTEXT_TRACER },
	/* This is what the drivers of Arm's trace units enter by. */
	{ "arm_trbe_irq_handler", false, CONTEXT_TRACER },
	{ "etm_event_", true, CONTEXT_TRACER },
};

static enum context_kind find_kind(const struct arch_context *rules,
				   size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(rules[i].name);

		if (rules[i].is_prefix ? !strncmp(rules[i].name, name, size) :
					 !strcmp(rules[i].name, name))
			return rules[i].kind;
	}
	return CONTEXT_NONE;
}

enum context_kind arch_context_kind(const struct arch *arch, const char *name)
{
	enum context_kind kind =
		find_kind(arch->entries, arch->entry_count, name);

	if (kind != CONTEXT_NONE)
		return kind;
	return find_kind(common_work,
			 sizeof(common_work) / sizeof(*common_work), name);
}

const struct arch_graph_rule *arch_graph_rule(const struct arch *arch,
					      const char *name)
{
	for (size_t i = 0; i < arch->graph_rule_count; i++) {
		const struct arch_graph_rule *rule = &arch->graph_rules[i];

		if (rule->is_prefix ?
			    !strncmp(rule->name, name, strlen(rule->name)) :
			    !strcmp(rule->name, name))
			return rule;
	}
	return NULL;
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
