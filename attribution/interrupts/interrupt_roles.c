/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles.h"

#include "common/name_lookup.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <stdlib.h>

/* This is what each soft interrupt does: its open_softirq(). */
static const struct name_rule actions[] = {
	{ "tasklet_hi_action", false, HI_SOFTIRQ },
	{ "run_timer_softirq", false, TIMER_SOFTIRQ },
	{ "net_tx_action", false, NET_TX_SOFTIRQ },
	{ "net_rx_action", false, NET_RX_SOFTIRQ },
	{ "blk_done_softirq", false, BLOCK_SOFTIRQ },
	{ "irq_poll_softirq", false, IRQ_POLL_SOFTIRQ },
	{ "tasklet_action", false, TASKLET_SOFTIRQ },
	{ "sched_balance_softirq", false, SCHED_SOFTIRQ }, /* 6.10 */
	{ "run_rebalance_domains", false, SCHED_SOFTIRQ },
	{ "hrtimer_run_softirq", false, HRTIMER_SOFTIRQ },
	{ "rcu_core_si", false, RCU_SOFTIRQ },
};

/* Linux 5.10 to 6.15.  The first rule that fits decides. */
static const struct name_rule rules[] = {
	/* arch/x86/kernel/smp.c, irq_work.c */
	{ "asm_sysvec_reschedule_ipi", false, ROLE_IPI_RESCHEDULE },
	{ "sysvec_reschedule_ipi", false, ROLE_IPI_RESCHEDULE },
	{ "asm_sysvec_call_function", true, ROLE_IPI_CALL },
	{ "sysvec_call_function", true, ROLE_IPI_CALL },
	{ "native_smp_send_reschedule", false, ROLE_SENDS_RESCHEDULE },
	{ "native_send_call_func", true, ROLE_SENDS_CALL },
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
	/* This is what tracing calls where a tracepoint is. */
	{ "__traceiter_", true, ROLE_HELPER },
	{ "perf_trace_", true, ROLE_HELPER },
	{ "trace_event_raw_event_", true, ROLE_HELPER },
	{ "__bpf_trace_", true, ROLE_HELPER },
	/* kernel/sched/core.c */
	{ "try_to_wake_up", false, ROLE_WAKES },
	{ "wake_up_new_task", false, ROLE_WAKES },
	/* net/9p/client.c */
	{ "p9_client_rpc", false, ROLE_ASKS },
	{ "p9_client_zc_rpc", true, ROLE_ASKS },
	{ "p9_client_cb", false, ROLE_ANSWERS },
};

/* This is what serves the system as a whole. */
static const struct name_rule system_functions[] = {
	/* kernel/time, kernel/watchdog.c, kernel/sched, kernel/rcu */
	{ "tick_", true, 0 },
	{ "watchdog_timer_fn", false, 0 },
	{ "sched_rt_period_timer", false, 0 },
	{ "clocksource_watchdog", false, 0 },
	{ "sched_balance_softirq", false, 0 },
	{ "run_rebalance_domains", false, 0 },
	{ "rcu_core_si", false, 0 },
	/* drivers/char/random.c, net/ipv4/tcp.c */
	{ "mix_interrupt_randomness", false, 0 },
	{ "crng_reseed", false, 0 },
	{ "tcp_orphan_update", false, 0 },
};

struct function_role {
	uint8_t role;	/* enum interrupt_role */
	uint8_t vector; /* enum softirq_vector, of ROLE_ACTION */
	bool is_system;
};

struct interrupt_roles {
	uint32_t count;
	struct function_role roles[];
};

/* The lists above, to be looked into. */
struct role_rules {
	struct name_lookup actions;
	struct name_lookup roles;
	struct name_lookup system;
};

#define RULES_OF(list) name_lookup_of(list, sizeof(list) / sizeof(*(list)))

static enum interrupt_role by_work(enum context_kind kind)
{
	switch (kind) {
	case CONTEXT_INTERRUPT:
		return ROLE_HARD;
	case CONTEXT_NMI:
		return ROLE_NMI;
	case CONTEXT_SOFTIRQ:
		return ROLE_SOFTIRQ;
	case CONTEXT_ITEM:
		return ROLE_ITEM;
	case CONTEXT_NONE:
	case CONTEXT_SYSTEM_CALL:
	case CONTEXT_FAULT:
	case CONTEXT_EXCEPTION:
	case CONTEXT_EXIT:
	case CONTEXT_SCHEDULE:
	case CONTEXT_THREAD:
	case CONTEXT_TRACER:
	case CONTEXT_KINDS:
		break;
	}
	return ROLE_NONE;
}

static struct function_role role_of(const struct role_rules *rules_of,
				    const char *name, enum context_kind kind)
{
	const struct name_rule *rule =
		name_lookup_find(&rules_of->actions, name);
	struct function_role found = {
		.is_system = name_lookup_find(&rules_of->system, name),
	};

	if (rule) {
		found.role = ROLE_ACTION;
		found.vector = rule->value;
		return found;
	}
	rule = name_lookup_find(&rules_of->roles, name);
	found.role = rule ? rule->value : (uint8_t)by_work(kind);
	return found;
}

struct interrupt_roles *
interrupt_roles_new(const struct function_table *functions,
		    const struct context_kinds *kinds)
{
	const struct role_rules rules_of = {
		.actions = RULES_OF(actions),
		.roles = RULES_OF(rules),
		.system = RULES_OF(system_functions),
	};
	uint32_t count = function_count(functions);
	struct interrupt_roles *roles =
		calloc(1, sizeof(*roles) + count * sizeof(*roles->roles));

	if (!roles)
		return NULL;
	roles->count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct function *function = function_at(functions, i);

		if (function->space == 'k')
			roles->roles[i] = role_of(&rules_of, function->name,
						  context_kind_of(kinds, i));
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
	return function < roles->count ?
		       (enum interrupt_role)roles->roles[function].role :
		       ROLE_NONE;
}

enum softirq_vector interrupt_role_vector(const struct interrupt_roles *roles,
					  uint32_t function)
{
	return (enum softirq_vector)roles->roles[function].vector;
}

bool interrupt_role_is_system(const struct interrupt_roles *roles,
			      uint32_t function)
{
	return function < roles->count && roles->roles[function].is_system;
}
