/* SPDX-License-Identifier: MIT */
#include "collector/events/tracepoint_set.h"
#include "collector/events/event_list.h"
#include "collector/events/tracefs.h"
#include "common/error.h"
#include "common/log.h"

#include <stdbool.h>
#include <string.h>

enum tracepoint_trait {
	ALWAYS,
	OPTIONAL,   /* not in every kernel, or in a module */
	USER_STACK, /* with the user stack, if that is requested */
};

struct wanted {
	const char *name;
	unsigned int sets; /* the sets that contain it */
	enum event_scope scope;
	enum tracepoint_trait trait;
};

enum {
	SCHED = TRACEPOINTS_SCHED,
	IRQ = TRACEPOINTS_IRQ,
	OBJECTS = TRACEPOINTS_OBJECTS,
};

/* Events that can happen in any task, on any CPU. */
#define OF_CPUS(event, sets) (event), (sets), EVENT_OF_CPUS

/* A waker and an interrupt may belong to any task: the scope is the CPU. A
 * system call belongs to its task. Events that the trace shows by itself are
 * not recorded by default: starts and ends of system calls, faults, interrupts,
 * softirqs, handlers and work items. Each costs the traced kernel more than a
 * thousand instructions.
 */
static const struct wanted wanted[] = {
	{ OF_CPUS("sched:sched_waking", SCHED), ALWAYS },
	{ OF_CPUS("sched:sched_wakeup_new", SCHED), ALWAYS },
	/* Costs nothing except when a task moves. */
	{ OF_CPUS("cgroup:cgroup_attach_task", SCHED), OPTIONAL },
	{ OF_CPUS("sched:sched_switch", TRACEPOINTS_SWITCH), ALWAYS },
	{ OF_CPUS("irq:softirq_raise", IRQ | OBJECTS), ALWAYS },
	{ OF_CPUS("irq:softirq_entry", IRQ), ALWAYS },
	{ OF_CPUS("irq:softirq_exit", IRQ), ALWAYS },
	{ OF_CPUS("irq:irq_handler_entry", IRQ | OBJECTS), ALWAYS },
	{ OF_CPUS("irq:irq_handler_exit", IRQ), ALWAYS },
	{ "raw_syscalls:sys_enter", TRACEPOINTS_SYSCALLS, EVENT_OF_TARGET,
	  USER_STACK },
	{ "raw_syscalls:sys_exit", TRACEPOINTS_SYSCALLS, EVENT_OF_TARGET,
	  ALWAYS },
	/* Arm's kernels do not have them. */
	{ OF_CPUS("exceptions:page_fault_user", TRACEPOINTS_FAULTS), OPTIONAL },
	{ OF_CPUS("exceptions:page_fault_kernel", TRACEPOINTS_FAULTS),
	  OPTIONAL },
	/* Linux 5.19 */
	{ OF_CPUS("lock:contention_begin", TRACEPOINTS_LOCKS), OPTIONAL },
	{ OF_CPUS("lock:contention_end", TRACEPOINTS_LOCKS), OPTIONAL },
	{ OF_CPUS("filelock:flock_lock_inode", TRACEPOINTS_LOCKS), OPTIONAL },
	{ OF_CPUS("filelock:posix_lock_inode", TRACEPOINTS_LOCKS), OPTIONAL },
	{ OF_CPUS("irq:tasklet_entry", OBJECTS), OPTIONAL },
	{ OF_CPUS("net:netif_receive_skb", OBJECTS), OPTIONAL },
	{ OF_CPUS("net:netif_rx", OBJECTS), OPTIONAL },
	{ OF_CPUS("net:napi_gro_receive_entry", OBJECTS), OPTIONAL },
	{ OF_CPUS("napi:napi_poll", OBJECTS), OPTIONAL },
	{ OF_CPUS("net:net_dev_queue", OBJECTS), OPTIONAL },
	{ OF_CPUS("net:net_dev_start_xmit", OBJECTS), OPTIONAL },
	{ OF_CPUS("skb:skb_copy_datagram_iovec", OBJECTS), OPTIONAL },
	{ OF_CPUS("skb:consume_skb", OBJECTS), OPTIONAL },
	{ OF_CPUS("skb:kfree_skb", OBJECTS), OPTIONAL },
	/* Linux 6.3 */
	{ OF_CPUS("sock:sk_data_ready", OBJECTS), OPTIONAL },
	{ OF_CPUS("sock:sock_send_length", OBJECTS), OPTIONAL },
	{ OF_CPUS("sock:sock_recv_length", OBJECTS), OPTIONAL },
	/* Linux 4.16; costs nothing except when a connection starts or ends. */
	{ OF_CPUS("sock:inet_sock_set_state", OBJECTS), OPTIONAL },
	{ OF_CPUS("block:block_bio_queue", OBJECTS), OPTIONAL },
	{ OF_CPUS("block:block_bio_remap", OBJECTS), OPTIONAL },
	{ OF_CPUS("block:block_bio_complete", OBJECTS), OPTIONAL },
	{ OF_CPUS("block:block_rq_complete", OBJECTS), OPTIONAL },
	{ OF_CPUS("workqueue:workqueue_queue_work", OBJECTS), ALWAYS },
	{ OF_CPUS("workqueue:workqueue_execute_start", OBJECTS), ALWAYS },
	{ OF_CPUS("timer:timer_start", OBJECTS), ALWAYS },
	{ OF_CPUS("timer:timer_cancel", OBJECTS), ALWAYS },
	{ OF_CPUS("timer:timer_expire_entry", OBJECTS), ALWAYS },
	{ OF_CPUS("timer:hrtimer_start", OBJECTS), ALWAYS },
	{ OF_CPUS("timer:hrtimer_cancel", OBJECTS), ALWAYS },
	{ OF_CPUS("timer:hrtimer_expire_entry", OBJECTS), ALWAYS },
};

static const struct {
	const char *name;
	unsigned int sets;
} names[] = {
	{ "none", 0 },
	{ "sched", SCHED },
	{ "irq", SCHED | IRQ },
	{ "syscalls", TRACEPOINTS_SYSCALLS },
	{ "faults", TRACEPOINTS_FAULTS },
	{ "locks", SCHED | TRACEPOINTS_LOCKS },
	{ "all", TRACEPOINTS_ALL },
	{ "attribution", TRACEPOINTS_ATTRIBUTION },
};

static int parse_one(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i].name) == length &&
		    !strncmp(names[i].name, name, length))
			return (int)names[i].sets;
	return -1;
}

int tracepoint_set_parse(const char *list)
{
	int sets = 0;

	for (;;) {
		size_t length = strcspn(list, ",");
		int one = parse_one(list, length);

		if (one < 0)
			return -1;
		sets |= one;
		if (!list[length])
			return sets;
		list += length + 1;
	}
}

bool tracepoint_set_can_be_read(unsigned int set)
{
	uint64_t id;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (wanted[i].sets & set && wanted[i].trait != OPTIONAL &&
		    tracefs_id(wanted[i].name, &id))
			return false;
	return true;
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

int tracepoint_set_add(unsigned int set, uint32_t user_stack_bytes,
		       struct event_list *events, const struct log *log)
{
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct wanted *one = &wanted[i];
		uint32_t stack = one->trait == USER_STACK ? user_stack_bytes :
							    0;
		int error;

		if (!(one->sets & set) && !stack)
			continue;
		error = add_one(one, stack, events, log);
		if (error)
			return error;
	}
	return 0;
}

int tracepoint_add_module(struct event_list *events, const char *name)
{
	uint64_t id;
	int error = tracefs_id(name, &id);

	return error ? error :
		       event_list_add(events, event_spec_module(name, id));
}
