/* SPDX-License-Identifier: MIT */
#include "collector/tracepoint_level.h"
#include "collector/event_list.h"
#include "collector/tracefs.h"
#include "common/error.h"
#include "common/log.h"

#include <string.h>

struct wanted {
	const char *name;
	enum tracepoint_level level;
	enum event_scope scope;
};

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
};

int tracepoint_level_parse(const char *name)
{
	static const char *const names[] = {
		[TRACEPOINTS_NONE] = "none",
		[TRACEPOINTS_SCHED] = "sched",
		[TRACEPOINTS_IRQ] = "irq",
		[TRACEPOINTS_ALL] = "all",
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
