/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles.h"

#include "attribution/events/function_marks.h"
#include "common/name_lookup.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <stdlib.h>

/* Vector 0 matters, too. */
#define VECTOR(number) ((number) + 1)

/* This is what each soft interrupt does: its open_softirq(). */
static const struct name_rule actions[] = {
	{ "tasklet_hi_action", false, VECTOR(HI_SOFTIRQ) },
	{ "run_timer_softirq", false, VECTOR(TIMER_SOFTIRQ) },
	{ "net_tx_action", false, VECTOR(NET_TX_SOFTIRQ) },
	{ "net_rx_action", false, VECTOR(NET_RX_SOFTIRQ) },
	{ "blk_done_softirq", false, VECTOR(BLOCK_SOFTIRQ) },
	{ "irq_poll_softirq", false, VECTOR(IRQ_POLL_SOFTIRQ) },
	{ "tasklet_action", false, VECTOR(TASKLET_SOFTIRQ) },
	{ "sched_balance_softirq", false, VECTOR(SCHED_SOFTIRQ) }, /* 6.10 */
	{ "run_rebalance_domains", false, VECTOR(SCHED_SOFTIRQ) },
	{ "hrtimer_run_softirq", false, VECTOR(HRTIMER_SOFTIRQ) },
	{ "rcu_core_si", false, VECTOR(RCU_SOFTIRQ) },
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
	/* net/ipv4, net/ipv6: once for each packet, in the order in which
	 * the network layer got them
	 */
	{ "arp_rcv", false, ROLE_TAKES_PACKET },
	{ "ip_local_deliver", false, ROLE_TAKES_PACKET },
	{ "ip_forward", false, ROLE_TAKES_PACKET },
	{ "ip6_input", false, ROLE_TAKES_PACKET },
	{ "ip6_forward", false, ROLE_TAKES_PACKET },
	/* block/blk-mq.c: in blk_mq_complete_request() */
	{ "blk_mq_complete_request_remote", false, ROLE_ENDS_REQUEST },
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
	{ "tick_", true, 1 },
	{ "watchdog_timer_fn", false, 1 },
	{ "sched_rt_period_timer", false, 1 },
	{ "clocksource_watchdog", false, 1 },
	{ "sched_balance_softirq", false, 1 },
	{ "run_rebalance_domains", false, 1 },
	{ "rcu_core_si", false, 1 },
	/* drivers/char/random.c, net/ipv4/tcp.c */
	{ "mix_interrupt_randomness", false, 1 },
	{ "crng_reseed", false, 1 },
	{ "tcp_orphan_update", false, 1 },
};

struct interrupt_roles {
	struct function_marks *roles;	/* enum interrupt_role */
	struct function_marks *vectors; /* of ROLE_ACTION: VECTOR() */
	struct function_marks *system;	/* those that serve it */
};

/* Those of the kernel's contexts that are interrupt work themselves. */
static const uint8_t context_roles[CONTEXT_KINDS] = {
	[CONTEXT_INTERRUPT] = ROLE_HARD,
	[CONTEXT_NMI] = ROLE_NMI,
	[CONTEXT_SOFTIRQ] = ROLE_SOFTIRQ,
	[CONTEXT_ITEM] = ROLE_ITEM,
};

#define MARKS_BY(list) \
	function_marks_by_rules(functions, list, sizeof(list) / sizeof(*(list)))

/* Sets the roles that other lists than that of roles tell. */
static void add_roles(const struct interrupt_roles *roles,
		      const struct function_table *functions,
		      const struct context_kinds *kinds)
{
	for (uint32_t i = 0; i < roles->roles->count; i++) {
		uint8_t *role = &roles->roles->values[i];

		if (function_marks_has(roles->vectors, i))
			*role = ROLE_ACTION;
		else if (!*role && function_at(functions, i)->space == 'k')
			*role = context_roles[context_kind_of(kinds, i)];
	}
}

struct interrupt_roles *
interrupt_roles_new(const struct function_table *functions,
		    const struct context_kinds *kinds)
{
	struct interrupt_roles *roles = calloc(1, sizeof(*roles));

	if (!roles)
		return NULL;
	roles->roles = MARKS_BY(rules);
	roles->vectors = MARKS_BY(actions);
	roles->system = MARKS_BY(system_functions);
	if (roles->roles && roles->vectors && roles->system) {
		add_roles(roles, functions, kinds);
		return roles;
	}
	interrupt_roles_free(roles);
	return NULL;
}

void interrupt_roles_free(struct interrupt_roles *roles)
{
	if (!roles)
		return;
	free(roles->roles);
	free(roles->vectors);
	free(roles->system);
	free(roles);
}

enum interrupt_role interrupt_role_of(const struct interrupt_roles *roles,
				      uint32_t function)
{
	return (enum interrupt_role)function_marks_at(roles->roles, function);
}

enum softirq_vector interrupt_role_vector(const struct interrupt_roles *roles,
					  uint32_t function)
{
	return (enum softirq_vector)(roles->vectors->values[function] -
				     VECTOR(0));
}

bool interrupt_role_is_system(const struct interrupt_roles *roles,
			      uint32_t function)
{
	return function_marks_has(roles->system, function);
}
