/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_roles_internal.h"

#include "attribution/events/function_marks.h"
#include "common/maps.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <stdlib.h>

/* Vectors are stored plus 1, since 0 stands for an unmarked function. */
#define VECTOR(number) ((number) + 1)

/* The action of each soft interrupt, from its open_softirq(). */
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

/* Rules for Linux 5.10 to 6.15. The first one that matches a name decides. */
static const struct name_rule rules[] = {
	/* arch/x86/kernel/smp.c, irq_work.c */
	{ "asm_sysvec_reschedule_ipi", false, ROLE_IPI_RESCHEDULE },
	{ "sysvec_reschedule_ipi", false, ROLE_IPI_RESCHEDULE },
	{ "asm_sysvec_call_function", true, ROLE_IPI_CALL },
	{ "sysvec_call_function", true, ROLE_IPI_CALL },
	{ "asm_sysvec_irq_work", false, ROLE_IRQ_WORK },
	{ "sysvec_irq_work", false, ROLE_IRQ_WORK },
	{ "irq_work_queue", false, ROLE_QUEUES_IRQ_WORK },
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
	{ "process_backlog", false, ROLE_POLLS_BACKLOG },
	/* net/core/neighbour.c */
	{ "__neigh_event_send", false, ROLE_LOOKS_FOR_NEIGHBOUR },
	{ "neigh_update", false, ROLE_LEARNS_NEIGHBOUR },
	{ "__neigh_update", false, ROLE_LEARNS_NEIGHBOUR },
	/* net/ipv4, net/ipv6: once for each packet, in the order in which the
	 * network layer received them
	 */
	{ "arp_rcv", false, ROLE_TAKES_PACKET },
	{ "ip_local_deliver", false, ROLE_TAKES_PACKET },
	{ "ip_forward", false, ROLE_TAKES_PACKET },
	{ "ip6_input", false, ROLE_TAKES_PACKET },
	{ "ip6_forward", false, ROLE_TAKES_PACKET },
	/* net/packet, net/ipv4/raw.c, udp.c, net/ipv6: one more socket gets a
	 * copy of the packet, which has no event
	 */
	{ "packet_rcv", true, ROLE_COPIES_PACKET },
	{ "tpacket_rcv", false, ROLE_COPIES_PACKET },
	{ "raw_rcv", false, ROLE_COPIES_PACKET },
	{ "rawv6_rcv", false, ROLE_COPIES_PACKET },
	{ "__udp4_lib_mcast_deliver", false, ROLE_COPIES_PACKET },
	{ "__udp6_lib_mcast_deliver", false, ROLE_COPIES_PACKET },
	{ "tcp_conn_request", false, ROLE_STARTS_CONNECTION },
	/* net/ipv4/tcp_output.c: a tasklet, since Linux 6.9 a work item */
	{ "tcp_tasklet_func", false, ROLE_SENDS_MORE },
	{ "tcp_tsq_workfn", false, ROLE_SENDS_MORE },
	/* block/blk-mq.c: in blk_mq_complete_request() */
	{ "blk_mq_complete_request_remote", false, ROLE_ENDS_REQUEST },
	/* kernel/rcu */
	{ "rcu_do_batch", false, ROLE_CALLS_RCU },
	{ "call_rcu", false, ROLE_QUEUES_RCU },
	{ "call_rcu_hurry", false, ROLE_QUEUES_RCU }, /* 6.2 */
	{ "kvfree_call_rcu", false, ROLE_QUEUES_FREE },
	{ "rcu_", true, ROLE_HELPER },
	{ "__rcu_", true, ROLE_HELPER },
	{ "tick_dep_", true, ROLE_HELPER },
	{ "note_gp_changes", false, ROLE_HELPER },
	/* mm/vmscan.c, compaction.c, page_alloc.c */
	{ "balance_pgdat", false, ROLE_RECLAIMS },
	{ "kcompactd_do_work", false, ROLE_COMPACTS },
	{ "proactive_compact_node", false, ROLE_COMPACTS_ALL },
	{ "compact_node", false, ROLE_COMPACTS_ALL },
	{ "try_to_free_pages", false, ROLE_RECLAIMS_DIRECTLY },
	{ "try_to_free_mem_cgroup_pages", false, ROLE_RECLAIMS_DIRECTLY },
	{ "try_to_compact_pages", false, ROLE_RECLAIMS_DIRECTLY },
	{ "__drain_all_pages", false, ROLE_RECLAIMS_DIRECTLY },
	{ "__alloc_pages", false, ROLE_ALLOCATES }, /* up to 6.9 */
	{ "__alloc_pages_noprof", false, ROLE_ALLOCATES },
	{ "__alloc_frozen_pages_noprof", false, ROLE_ALLOCATES }, /* 6.14 */
	{ "wakeup_kswapd", false, ROLE_LACKS_MEMORY },
	/* kernel/locking, kernel/softirq.c */
	{ "_raw_", true, ROLE_HELPER },
	{ "__local_bh_", true, ROLE_HELPER },
	{ "__cond_resched", false, ROLE_HELPER },
	/* Functions that tracing calls at a tracepoint. */
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
	/* mm/page-writeback.c, mm/truncate.c: once for each page or folio */
	{ "__folio_mark_dirty", false, ROLE_DIRTIES },
	{ "__set_page_dirty", false, ROLE_DIRTIES }, /* up to 5.15 */
	{ "folio_clear_dirty_for_io", false, ROLE_CLEANS },
	{ "clear_page_dirty_for_io", false, ROLE_CLEANS },
	{ "__folio_cancel_dirty", false, ROLE_CLEANS },
	{ "__cancel_dirty_page", false, ROLE_CLEANS },
};

/* Functions of timers, work items and soft interrupts, with the processes they
 * serve. A function that is not listed may serve any process.
 */
static const struct name_rule services[] = {
	/* The system: kernel/time, watchdog.c, sched, rcu */
	{ "tick_", true, SERVES_SYSTEM },
	{ "watchdog_timer_fn", false, SERVES_SYSTEM },
	{ "sched_rt_period_timer", false, SERVES_SYSTEM },
	{ "clocksource_watchdog", false, SERVES_SYSTEM },
	{ "sched_balance_softirq", false, SERVES_SYSTEM },
	{ "run_rebalance_domains", false, SERVES_SYSTEM },
	{ "rcu_core_si", false, SERVES_SYSTEM },
	/* drivers/char/random.c, net/ipv4/tcp.c */
	{ "mix_interrupt_randomness", false, SERVES_SYSTEM },
	{ "crng_reseed", false, SERVES_SYSTEM },
	{ "tcp_orphan_update", false, SERVES_SYSTEM },
	/* net/sched/sch_generic.c, net/core/neighbour.c: started at boot */
	{ "dev_watchdog", false, SERVES_SYSTEM },
	{ "neigh_managed_work", false, SERVES_SYSTEM },
	{ "neigh_periodic_work", false, SERVES_SYSTEM },
	/* net/ipv4/igmp.c, net/ipv6: the addresses and groups of a device */
	{ "igmp_", true, SERVES_SYSTEM },
	{ "mld_", true, SERVES_SYSTEM },
	{ "addrconf_", true, SERVES_SYSTEM },
	/* block/blk-stat.c: a disk's statistics; the timer starts itself again */
	{ "blk_stat_timer_fn", false, SERVES_SYSTEM },
	/* mm/page-writeback.c, kernel/workqueue.c, arch/x86/kernel/cpu/mce */
	{ "writeout_period", false, SERVES_SYSTEM },
	{ "idle_worker_timeout", false, SERVES_SYSTEM },
	{ "mce_timer_fn", false, SERVES_SYSTEM },
	/* mm/vmstat.c, percpu.c, slab.c, memcontrol.c and others */
	{ "vmstat_", true, SERVES_SYSTEM },
	{ "pcpu_balance_workfn", false, SERVES_SYSTEM },
	{ "cache_reap", false, SERVES_SYSTEM },
	{ "flush_memcg_stats_dwork", false, SERVES_SYSTEM },
	{ "kfree_rcu_", true, SERVES_FREERS },
	{ "toggle_allocation_gate", false, SERVES_SYSTEM },
	/* kernel/rcu, kernel/sched/psi.c, kernel/time */
	{ "wait_rcu_exp_gp", false, SERVES_SYSTEM },
	{ "sync_rcu_", true, SERVES_SYSTEM },
	{ "process_srcu", false, SERVES_SYSTEM },
	{ "srcu_", true, SERVES_SYSTEM },
	{ "psi_avgs_work", false, SERVES_SYSTEM },
	{ "clocksource_watchdog_work", false, SERVES_SYSTEM },
	/* one task: kernel/time, on the stack of the sleeping thread */
	{ "hrtimer_wakeup", false, SERVES_ASKER },
	{ "process_timeout", false, SERVES_ASKER },
	/* kernel/time, fs/timerfd.c: a timer of the process */
	{ "posix_timer_fn", false, SERVES_ASKER },
	{ "it_real_fn", false, SERVES_ASKER },
	{ "timerfd_tmrproc", false, SERVES_ASKER },
	/* kernel/workqueue.c, smp.c: on the stack of the waiting thread */
	{ "work_for_cpu_fn", false, SERVES_ASKER },
	{ "smp_call_on_cpu_callback", false, SERVES_ASKER },
	/* kernel/umh.c, async.c: allocated by each call */
	{ "call_usermodehelper_exec_work", false, SERVES_ASKER },
	{ "async_run_entry_fn", false, SERVES_ASKER },
	/* fs/aio.c, direct-io.c, iomap, dm-crypt: part of one request */
	{ "aio_fsync_work", false, SERVES_ASKER },
	{ "dio_aio_complete_work", false, SERVES_ASKER },
	{ "iomap_dio_complete_work", false, SERVES_ASKER },
	{ "kcryptd_crypt", false, SERVES_ASKER },
	/* fs/fs-writeback.c: all dirty inodes of a device */
	{ "wb_workfn", false, SERVES_WRITERS },
};

struct interrupt_roles {
	struct function_marks *roles; /* enum interrupt_role */
	/* for ROLE_ACTION: VECTOR() of the soft interrupt */
	struct function_marks *vectors;
	struct function_marks *services; /* enum interrupt_service */
};

/* Roles of the kernel contexts that are interrupt work themselves. */
static const uint8_t context_roles[CONTEXT_KINDS] = {
	[CONTEXT_INTERRUPT] = ROLE_HARD,
	[CONTEXT_NMI] = ROLE_NMI,
	[CONTEXT_SOFTIRQ] = ROLE_SOFTIRQ,
	[CONTEXT_ITEM] = ROLE_ITEM,
};

#define MARKS_BY(list) \
	function_marks_by_rules(functions, list, sizeof(list) / sizeof(*(list)))

/* Adds the roles that follow from actions and from context kinds. */
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
	roles->services = MARKS_BY(services);
	if (roles->roles && roles->vectors && roles->services) {
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
	free(roles->services);
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

enum interrupt_service
interrupt_role_service(const struct interrupt_roles *roles, uint32_t function)
{
	return (enum interrupt_service)function_marks_at(roles->services,
							 function);
}
