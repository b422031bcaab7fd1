/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_EVENT_LIST_H
#define KT_COLLECTOR_EVENT_LIST_H

#include "collector/events/event_spec.h"
#include "common/array.h"

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
	/* how long other CPUs' events were enabled when it was opened */
	uint64_t late_ns;
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
 * Returns 0, or -ERROR_SYSTEM with errno set, which the caller should log with
 * the purpose of the event. Returns -ERROR_MEMORY.
 */
int event_list_open(struct event_list *list, size_t spec,
		    const struct target *target);

/* Opens spec number @spec for everything that runs on @cpu. Returns like
 * event_list_open().
 */
int event_list_open_cpu(struct event_list *list, size_t spec, int cpu);

/* Closes all events from number @first on. */
void event_list_close_from(struct event_list *list, size_t first);

/* Calls ioctl(@request, @argument) on the events of @spec.
 *
 * Returns 0, or -ERROR_SYSTEM with errno of the first that failed.
 */
int event_list_control(const struct event_list *list, size_t spec,
		       unsigned long request, void *argument);

/* Returns the first event of @spec on @cpu, or NULL. */
const struct event *event_list_find(const struct event_list *list, size_t spec,
				    int cpu);

/* Like event_list_control(), for the events of @spec on @cpu alone. */
int event_list_control_cpu(const struct event_list *list, size_t spec, int cpu,
			   unsigned long request, void *argument);

/* Enables all disabled events except enable_on_exec and on-demand ones, the last
 * spec first. Tracepoints are enabled late, since the recorder's own preparations
 * would fill their rings, but before the trace, which is the first spec: then all
 * code that the trace shows has its events.
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

#endif
