/* SPDX-License-Identifier: MIT */
#include "attribution/interrupt_roles.h"

#include "symbolize/symbols.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct rule {
	const char *name;
	bool is_prefix;
	enum interrupt_role role;
};

/* Linux 5.10 to 6.15.  The first rule that fits decides. */
static const struct rule rules[] = {
	/* arch/x86/kernel/smp.c, irq_work.c */
	{ "asm_sysvec_reschedule_ipi", false, ROLE_IPI_RESCHEDULE },
	{ "sysvec_reschedule_ipi", false, ROLE_IPI_RESCHEDULE },
	{ "asm_sysvec_call_function", true, ROLE_IPI_CALL },
	{ "sysvec_call_function", true, ROLE_IPI_CALL },
	{ "native_smp_send_reschedule", false, ROLE_SENDS_RESCHEDULE },
	{ "native_send_call_func", true, ROLE_SENDS_CALL },
	/* What a soft interrupt does: its open_softirq(). */
	{ "net_rx_action", false, ROLE_ACTION },
	{ "net_tx_action", false, ROLE_ACTION },
	{ "run_timer_softirq", false, ROLE_ACTION },
	{ "hrtimer_run_softirq", false, ROLE_ACTION },
	{ "tasklet_action", false, ROLE_ACTION },
	{ "tasklet_hi_action", false, ROLE_ACTION },
	{ "rcu_core_si", false, ROLE_ACTION },
	{ "sched_balance_softirq", false, ROLE_ACTION },	/* 6.10 */
	{ "run_rebalance_domains", false, ROLE_ACTION },
	{ "blk_done_softirq", false, ROLE_ACTION },
	{ "irq_poll_softirq", false, ROLE_ACTION },
	/* kernel/irq */
	{ "__handle_irq_event_percpu", false, ROLE_CALLS_HANDLER },
	{ "irq_thread_fn", false, ROLE_THREAD },
	{ "irq_forced_thread_fn", false, ROLE_THREAD },
	{ "irq_finalize_oneshot", false, ROLE_HELPER },
	{ "__irq_wake_thread", false, ROLE_HELPER },
	/* net/core/dev.c */
	{ "__napi_poll", false, ROLE_CALLS_POLL },
	{ "__napi_schedule", true, ROLE_SCHEDULES_POLL },
	{ "____napi_schedule", false, ROLE_SCHEDULES_POLL },
	{ "napi_schedule_rps", false, ROLE_SCHEDULES_POLL },
	/* kernel/rcu */
	{ "rcu_do_batch", false, ROLE_CALLS_RCU },
	{ "rcu_", true, ROLE_HELPER },
	{ "__rcu_", true, ROLE_HELPER },
	{ "tick_dep_", true, ROLE_HELPER },
	{ "note_gp_changes", false, ROLE_HELPER },
	/* kernel/locking, kernel/softirq.c */
	{ "_raw_", true, ROLE_HELPER },
	{ "__local_bh_", true, ROLE_HELPER },
	{ "__cond_resched", false, ROLE_HELPER },
	/* What tracing calls where a tracepoint is. */
	{ "__traceiter_", true, ROLE_HELPER },
	{ "perf_trace_", true, ROLE_HELPER },
	{ "trace_event_raw_event_", true, ROLE_HELPER },
	{ "__bpf_trace_", true, ROLE_HELPER },
	/* kernel/sched/core.c */
	{ "try_to_wake_up", false, ROLE_WAKES },
	{ "wake_up_new_task", false, ROLE_WAKES },
	/* kernel/time, kernel/watchdog.c, kernel/sched, drivers/char/random.c,
	 * net/ipv4/tcp.c
	 */
	{ "tick_", true, ROLE_SYSTEM_TIMER },
	{ "watchdog_timer_fn", false, ROLE_SYSTEM_TIMER },
	{ "sched_rt_period_timer", false, ROLE_SYSTEM_TIMER },
	{ "clocksource_watchdog", false, ROLE_SYSTEM_TIMER },
	{ "mix_interrupt_randomness", false, ROLE_SYSTEM_TIMER },
	{ "tcp_orphan_update", false, ROLE_SYSTEM_TIMER },
};

struct interrupt_roles {
	uint32_t count;
	uint8_t roles[];	/* enum interrupt_role */
};

static enum interrupt_role by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		size_t size = strlen(rules[i].name);

		if (rules[i].is_prefix ? !strncmp(rules[i].name, name, size) :
					 !strcmp(rules[i].name, name))
			return rules[i].role;
	}
	return ROLE_NONE;
}

static enum interrupt_role by_work(enum work_kind kind)
{
	switch (kind) {
	case WORK_INTERRUPT:
		return ROLE_HARD;
	case WORK_NMI:
		return ROLE_NMI;
	case WORK_SOFTIRQ:
		return ROLE_SOFTIRQ;
	case WORK_ITEM:
		return ROLE_ITEM;
	case WORK_NONE:
	case WORK_SYSTEM_CALL:
	case WORK_FAULT:
	case WORK_EXCEPTION:
	case WORK_EXIT:
	case WORK_SCHEDULE:
	case WORK_THREAD:
	case WORK_KINDS:
		break;
	}
	return ROLE_NONE;
}

struct interrupt_roles *interrupt_roles_new(const struct symbols *symbols)
{
	const struct function_table *functions = symbols_functions(symbols);
	const struct arch *arch = symbols_arch(symbols);
	uint32_t count = function_count(functions);
	struct interrupt_roles *roles = calloc(1, sizeof(*roles) + count);

	if (!roles)
		return NULL;
	roles->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct function *function = function_at(functions, i);
		enum interrupt_role role = ROLE_NONE;

		if (function->space != 'k')
			continue;
		role = by_name(function->name);
		if (role == ROLE_NONE)
			role = by_work(arch_work_kind(arch, function->name));
		roles->roles[i] = (uint8_t)role;
	}
	return roles;
}

void interrupt_roles_free(struct interrupt_roles *roles)
{
	free(roles);
}

enum interrupt_role interrupt_role_of(const struct interrupt_roles *roles,
				      uint32_t function)
{
	return function < roles->count ? roles->roles[function] : ROLE_NONE;
}
