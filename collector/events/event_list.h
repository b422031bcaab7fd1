/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_EVENTS_EVENT_LIST_H
#define KT_COLLECTOR_EVENTS_EVENT_LIST_H

#include "collector/events/event_spec.h"
#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct log;
struct target;

/* One open event: a spec on one CPU, for one thread or for all. */
struct event {
	int fd;
	size_t spec; /* index in event_list.specs */
	int cpu;
	pid_t thread; /* -1: everything that runs on the CPU */
	uint64_t id;  /* the id in its records */
	/* how much later it was enabled than the first event of its spec */
	uint64_t late_ns;
	/* the kernel closed the event with its CPU, and a later event replaces
	 * it; id is still valid for earlier records
	 */
	bool is_replaced;
};

/* All perf events of a recording. */
struct event_list {
	struct array specs;  /* struct event_spec */
	struct array events; /* struct event */
};

struct event_list event_list_new(void);

/* Closes all events. */
void event_list_free(struct event_list *list);

/* Adds @spec, not opened yet.  Returns its index or -ERROR_MEMORY. */
int event_list_add(struct event_list *list, struct event_spec spec);

/* Removes the last spec and closes its open events. */
void event_list_remove_last(struct event_list *list);

/* Opens spec number @spec on each CPU of @target, or of the computer, and for
 * each of its threads, depending on the spec's scope. Skips threads that have
 * ended.
 *
 * Returns 0; -ERROR_MEMORY; or -ERROR_SYSTEM with errno set, which the caller
 * should log with the purpose of the event.
 */
int event_list_open(struct event_list *list, size_t spec,
		    const struct target *target);

/* Opens spec number @spec for everything that runs on @cpu. Returns like
 * event_list_open().
 */
int event_list_open_cpu(struct event_list *list, size_t spec, int cpu);

/* Closes all events from number @first on. */
void event_list_close_from(struct event_list *list, size_t first);

/* Calls ioctl(@request, @argument) on the events of @spec that are not
 * replaced, up to the first that fails.
 *
 * Returns 0, or -ERROR_SYSTEM with errno of the first that failed.
 */
int event_list_control(const struct event_list *list, size_t spec,
		       unsigned long request, void *argument);

/* Returns the first event of @spec on @cpu that is not replaced, or NULL. */
const struct event *event_list_find(const struct event_list *list, size_t spec,
				    int cpu);

/* Like event_list_control(), for the events of @spec on @cpu alone. */
int event_list_control_cpu(const struct event_list *list, size_t spec, int cpu,
			   unsigned long request, void *argument);

/* Enables all disabled events except enable_on_exec and on-demand ones, the
 * last spec first. Tracepoints are enabled late, since the recorder's own
 * preparations would fill their rings, but before the trace, which is the first
 * spec: then all code that the trace shows has its events.
 *
 * Returns 0, or -ERROR_SYSTEM with errno of the first that failed.
 */
int event_list_enable(const struct event_list *list);

/* Like event_list_enable(), for the events on @cpu alone. */
int event_list_enable_cpu(const struct event_list *list, int cpu);

/* Disables and re-enables the events of @spec on @cpu. If a trace stopped
 * because its buffer was full, Linux 6.1 to 6.15 consider it still active, and
 * enabling alone would not restart it ("perf/aux: Fix pending disable flow when
 * the AUX ring buffer overruns").
 *
 * Returns 0 or -ERROR_SYSTEM with errno set.
 */
int event_list_restart_cpu(const struct event_list *list, size_t spec, int cpu);

/* Logs to @log why an event of @spec could not be opened or mapped, and the
 * remedy. @error is the negative enum error, and errno must still be the one of
 * the failure. @buffer_bytes is the size of each trace buffer.
 *
 * Returns @error.
 */
int event_refusal_log(const struct event_spec *spec, size_t buffer_bytes,
		      int error, const struct log *log);

/* A CPU that was switched off while it was recorded. */
struct away_cpu {
	int cpu;
	uint64_t missing_ns; /* from the switch-off until now */
};

/* Sets late_ns of the events of spec number @spec, which were just enabled. */
void event_list_note_lateness(struct event_list *list, size_t spec);

/* Finds the CPUs on which the events of spec number @spec no longer count. The
 * spec's events must count all the time, as those of event_spec_switches() do.
 * The kernel closes the events of a CPU that is switched off, and leaves them
 * closed when the CPU is switched on again (perf_event_exit_cpu() in
 * kernel/events/core.c).
 *
 * Returns 0 with a struct away_cpu for each in @away; or -ERROR_MEMORY.
 */
int away_cpus_find(const struct event_list *events, size_t spec,
		   struct array *away);

/* Returns how long the events of spec number @spec have been enabled, on the
 * CPU where that is longest.
 */
uint64_t away_cpus_longest(const struct event_list *events, size_t spec);

#endif
