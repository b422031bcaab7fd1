/* SPDX-License-Identifier: MIT */
#include "collector/tracepoint_level.h"
#include "collector/event_list.h"
#include "collector/tracefs.h"
#include "common/error.h"
#include "common/log.h"

#include <stdbool.h>
#include <string.h>

struct wanted {
	const char *name;
	enum tracepoint_level level;
	enum event_scope scope;
	bool is_optional;	/* not in every kernel, or a module's */
};

/* What attribution follows happens on anyone's behalf, on any CPU. */
#define ATTRIBUTION(event) event, TRACEPOINTS_ATTRIBUTION, EVENT_OF_CPUS

/* A waker and an interrupt may belong to anyone: all of the CPU.  A system
 * call is the task's own.
 */
static const struct wanted wanted[] = {
	{ "sched:sched_switch", TRACEPOINTS_SCHED, EVENT_OF_CPUS },
	{ "sched:sched_waking", TRACEPOINTS_SCHED, EVENT_OF_CPUS },
	{ "sched:sched_wakeup_new", TRACEPOINTS_SCHED, EVENT_OF_CPUS },
	{ "irq:softirq_raise", TRACEPOINTS_IRQ, EVENT_OF_CPUS },
	{ "irq:softirq_entry", TRACEPOINTS_IRQ, EVENT_OF_CPUS },
	{ "irq:softirq_exit", TRACEPOINTS_IRQ, EVENT_OF_CPUS },
	{ "irq:irq_handler_entry", TRACEPOINTS_IRQ, EVENT_OF_CPUS },
	{ "irq:irq_handler_exit", TRACEPOINTS_IRQ, EVENT_OF_CPUS },
	{ "raw_syscalls:sys_enter", TRACEPOINTS_ALL, EVENT_OF_TARGET },
	{ "raw_syscalls:sys_exit", TRACEPOINTS_ALL, EVENT_OF_TARGET },
	{ ATTRIBUTION("irq:tasklet_entry"), .is_optional = true },
	{ ATTRIBUTION("exceptions:page_fault_user") },
	{ ATTRIBUTION("exceptions:page_fault_kernel") },
	{ ATTRIBUTION("net:netif_receive_skb"), .is_optional = true },
	{ ATTRIBUTION("net:netif_rx"), .is_optional = true },
	{ ATTRIBUTION("net:napi_gro_receive_entry"), .is_optional = true },
	{ ATTRIBUTION("napi:napi_poll"), .is_optional = true },
	{ ATTRIBUTION("net:net_dev_queue"), .is_optional = true },
	{ ATTRIBUTION("net:net_dev_start_xmit"), .is_optional = true },
	{ ATTRIBUTION("skb:skb_copy_datagram_iovec"), .is_optional = true },
	{ ATTRIBUTION("skb:consume_skb"), .is_optional = true },
	{ ATTRIBUTION("skb:kfree_skb"), .is_optional = true },
	/* Linux 6.3 */
	{ ATTRIBUTION("sock:sk_data_ready"), .is_optional = true },
	{ ATTRIBUTION("block:block_bio_queue"), .is_optional = true },
	{ ATTRIBUTION("block:block_bio_remap"), .is_optional = true },
	{ ATTRIBUTION("block:block_bio_complete"), .is_optional = true },
	{ ATTRIBUTION("block:block_rq_insert"), .is_optional = true },
	{ ATTRIBUTION("block:block_rq_issue"), .is_optional = true },
	{ ATTRIBUTION("block:block_rq_complete"), .is_optional = true },
	{ ATTRIBUTION("workqueue:workqueue_queue_work") },
	{ ATTRIBUTION("workqueue:workqueue_execute_start") },
	{ ATTRIBUTION("workqueue:workqueue_execute_end") },
	{ ATTRIBUTION("timer:timer_start") },
	{ ATTRIBUTION("timer:timer_cancel") },
	{ ATTRIBUTION("timer:timer_expire_entry") },
	{ ATTRIBUTION("timer:timer_expire_exit") },
	{ ATTRIBUTION("timer:hrtimer_start") },
	{ ATTRIBUTION("timer:hrtimer_cancel") },
	{ ATTRIBUTION("timer:hrtimer_expire_entry") },
	{ ATTRIBUTION("timer:hrtimer_expire_exit") },
};

int tracepoint_level_parse(const char *name)
{
	static const char *const names[] = {
		[TRACEPOINTS_NONE] = "none",
		[TRACEPOINTS_SCHED] = "sched",
		[TRACEPOINTS_IRQ] = "irq",
		[TRACEPOINTS_ALL] = "all",
		[TRACEPOINTS_ATTRIBUTION] = "attribution",
	};

	for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

int tracepoint_level_add(enum tracepoint_level level, struct event_list *events,
			 const struct log *log)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct wanted *one = &wanted[i];
		uint64_t id;
		int error;

		if (one->level > level)
			continue;
		error = tracefs_id(one->name, &id);
		if (error && one->is_optional)
			continue;
		if (error) {
			log_message(log, LOG_ERROR, tracefs_folder(),
				    LOG_NO_OFFSET,
				    "tracepoint %s cannot be read: mount "
				    "tracefs and record as root, or use "
				    "--events none",
				    one->name);
			return error;
		}
		error = event_list_add(
			events,
			event_spec_tracepoint(one->name, id, one->scope));
		if (error < 0)
			return error;
	}
	return 0;
}

int tracepoint_add_module_load(struct event_list *events)
{
	uint64_t id;
	int error = tracefs_id("module:module_load", &id);

	return error ? error
		     : event_list_add(events, event_spec_module_load(id));
}
