/* SPDX-License-Identifier: MIT */
#include "symbolize/arch/arch.h"
#include "symbolize/arch/arch_tables.h"

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

static bool has_ending(const char *name, size_t length, const char *end)
{
	size_t size = strlen(end);

	return length >= size && !memcmp(name + length - size, end, size);
}

enum code_role arch_role(const struct arch *arch,
			 const struct name_lookup *roles, const char *name,
			 size_t length)
{
	const struct name_rule *rule =
		name_lookup_find_part(roles, name, length);

	if (rule)
		return rule->value;
	for (size_t i = 0; i < arch->role_ending_count; i++)
		if (has_ending(name, length, arch->role_endings[i].end))
			return arch->role_endings[i].role;
	return CODE_FUNCTION;
}

/* Rules for all architectures: kernel/softirq.c, kernel/entry/common.c,
 * include/linux/resume_user_mode.h, kernel/time/hrtimer.c and
 * kernel/sched/core.c of Linux 6.1 to 7.3.
 */
static const struct arch_graph_rule graph_rules[] = {
	{ "irq_exit_rcu", false, GRAPH_ROLE_INTERRUPT_END, "" },
	{ "raw_irqentry_exit_cond_resched", false, GRAPH_ROLE_INTERRUPT_TAIL,
	  "" },
	{ "__hrtimer_rearm_deferred", false, GRAPH_ROLE_INTERRUPT_TAIL, "" },
	{ "preempt_schedule_irq", false, GRAPH_ROLE_INTERRUPT_TAIL, "" },
	{ "__traceiter_sched_switch", false, GRAPH_ROLE_SWITCHING,
	  "__schedule" },
	{ "finish_task_switch", false, GRAPH_ROLE_SWITCHED, "__schedule" },
	{ "exit_to_user_mode_loop", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "schedule", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "uprobe_notify_resume", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "klp_update_patch_state", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "arch_do_signal_or_restart", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "task_work_run", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "mem_cgroup_handle_over_high", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "__mem_cgroup_handle_over_high", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "blkcg_maybe_throttle_current", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "__rseq_handle_notify_resume", false, GRAPH_ROLE_WAY_OUT, "" },
	{ "syscall_exit_to_user_mode_prepare", false, GRAPH_ROLE_CALL_WAY_OUT,
	  "" },
	{ "syscall_exit_work", false, GRAPH_ROLE_CALL_WAY_OUT, "" },
	{ "exit_to_user_mode_prepare", false, GRAPH_ROLE_LAST_WAY_OUT, "" },
};

static const struct arch_graph_rule *
find_graph_rule(const struct arch_graph_rule *rules, size_t count,
		const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (rules[i].is_prefix ? !strncmp(rules[i].name, name,
						  strlen(rules[i].name)) :
					 !strcmp(rules[i].name, name))
			return &rules[i];
	return NULL;
}

const struct arch_graph_rule *arch_graph_rule(const struct arch *arch,
					      const char *name)
{
	const struct arch_graph_rule *own = find_graph_rule(
		arch->graph_rules, arch->graph_rule_count, name);

	return own ? own :
		     find_graph_rule(graph_rules, ARCH_COUNT(graph_rules),
				     name);
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
