/* SPDX-License-Identifier: MIT */
#include "collector/tracepoint_level.h"
#include "collector/event_list.h"
#include "collector/tracefs.h"
#include "common/error.h"
#include "common/log.h"

#include <stdbool.h>
#include <string.h>

enum tracepoint_trait {
	ALWAYS,
	OPTIONAL,	/* not in every kernel, or a module's */
	USER_STACK,	/* with the user stack, if that is wanted */
};

struct wanted {
	const char *name;
	enum tracepoint_level level;
	enum event_scope scope;
	enum tracepoint_trait trait;
};

/* What attribution follows happens on anyone's behalf, on any CPU. */
#define ATTRIBUTION(event) event, TRACEPOINTS_ATTRIBUTION, EVENT_OF_CPUS

/* A waker and an interrupt may belong to anyone: all of the CPU.  A system
 * call is the task's own.
 */
static const struct wanted wanted[] = {
	{ "sched:sched_switch", TRACEPOINTS_SCHED, EVENT_OF_CPUS, ALWAYS },
	{ "sched:sched_waking", TRACEPOINTS_SCHED, EVENT_OF_CPUS, ALWAYS },
	{ "sched:sched_wakeup_new", TRACEPOINTS_SCHED, EVENT_OF_CPUS, ALWAYS },
	{ "irq:softirq_raise", TRACEPOINTS_IRQ, EVENT_OF_CPUS, ALWAYS },
	{ "irq:softirq_entry", TRACEPOINTS_IRQ, EVENT_OF_CPUS, ALWAYS },
	{ "irq:softirq_exit", TRACEPOINTS_IRQ, EVENT_OF_CPUS, ALWAYS },
	{ "irq:irq_handler_entry", TRACEPOINTS_IRQ, EVENT_OF_CPUS, ALWAYS },
	{ "irq:irq_handler_exit", TRACEPOINTS_IRQ, EVENT_OF_CPUS, ALWAYS },
	{ "raw_syscalls:sys_enter", TRACEPOINTS_ALL, EVENT_OF_TARGET, USER_STACK },
	{ "raw_syscalls:sys_exit", TRACEPOINTS_ALL, EVENT_OF_TARGET, ALWAYS },
	{ ATTRIBUTION("irq:tasklet_entry"), OPTIONAL },
	/* Arm's kernels do not have them. */
	{ ATTRIBUTION("exceptions:page_fault_user"), OPTIONAL },
	{ ATTRIBUTION("exceptions:page_fault_kernel"), OPTIONAL },
	{ ATTRIBUTION("net:netif_receive_skb"), OPTIONAL },
	{ ATTRIBUTION("net:netif_rx"), OPTIONAL },
	{ ATTRIBUTION("net:napi_gro_receive_entry"), OPTIONAL },
	{ ATTRIBUTION("napi:napi_poll"), OPTIONAL },
	{ ATTRIBUTION("net:net_dev_queue"), OPTIONAL },
	{ ATTRIBUTION("net:net_dev_start_xmit"), OPTIONAL },
	{ ATTRIBUTION("skb:skb_copy_datagram_iovec"), OPTIONAL },
	{ ATTRIBUTION("skb:consume_skb"), OPTIONAL },
	{ ATTRIBUTION("skb:kfree_skb"), OPTIONAL },
	/* Linux 6.3 */
	{ ATTRIBUTION("sock:sk_data_ready"), OPTIONAL },
	{ ATTRIBUTION("block:block_bio_queue"), OPTIONAL },
	{ ATTRIBUTION("block:block_bio_remap"), OPTIONAL },
	{ ATTRIBUTION("block:block_bio_complete"), OPTIONAL },
	{ ATTRIBUTION("block:block_rq_insert"), OPTIONAL },
	{ ATTRIBUTION("block:block_rq_issue"), OPTIONAL },
	{ ATTRIBUTION("block:block_rq_complete"), OPTIONAL },
	{ ATTRIBUTION("workqueue:workqueue_queue_work"), ALWAYS },
	{ ATTRIBUTION("workqueue:workqueue_execute_start"), ALWAYS },
	{ ATTRIBUTION("workqueue:workqueue_execute_end"), ALWAYS },
	{ ATTRIBUTION("timer:timer_start"), ALWAYS },
	{ ATTRIBUTION("timer:timer_cancel"), ALWAYS },
	{ ATTRIBUTION("timer:timer_expire_entry"), ALWAYS },
	{ ATTRIBUTION("timer:timer_expire_exit"), ALWAYS },
	{ ATTRIBUTION("timer:hrtimer_start"), ALWAYS },
	{ ATTRIBUTION("timer:hrtimer_cancel"), ALWAYS },
	{ ATTRIBUTION("timer:hrtimer_expire_entry"), ALWAYS },
	{ ATTRIBUTION("timer:hrtimer_expire_exit"), ALWAYS },
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

bool tracepoint_level_can_be_read(void)
{
	uint64_t id;

	return !tracefs_id(wanted[0].name, &id);
}

static int add_one(const struct wanted *one, uint32_t user_stack_bytes,
		   struct event_list *events, const struct log *log)
{
	struct event_spec spec;
	uint64_t id;
	int error = tracefs_id(one->name, &id);

	if (error && one->trait == OPTIONAL)
		return 0;
	if (error) {
		log_message(log, LOG_ERROR, tracefs_folder(), LOG_NO_OFFSET,
			    "tracepoint %s cannot be read: mount tracefs and "
			    "record as root, or use --events none without "
			    "--user-stacks",
			    one->name);
		return error;
	}
	spec = event_spec_tracepoint(one->name, id, one->scope);
	if (user_stack_bytes)
		event_spec_add_user_stack(&spec, user_stack_bytes);
	error = event_list_add(events, spec);
	return error < 0 ? error : 0;
}

int tracepoint_level_add(enum tracepoint_level level,
			 uint32_t user_stack_bytes, struct event_list *events,
			 const struct log *log)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct wanted *one = &wanted[i];
		uint32_t stack = one->trait == USER_STACK ? user_stack_bytes :
							 0;
		int error;

		if (one->level > level && !stack)
			continue;
		error = add_one(one, stack, events, log);
		if (error)
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
