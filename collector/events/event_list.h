/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_EVENT_LIST_H
#define KT_COLLECTOR_EVENT_LIST_H

#include "collector/events/event_spec.h"
#include "common/array.h"

#include <sys/types.h>

struct log;
struct target;

/* One opened event: a spec on one CPU, for one thread or for all. */
struct event {
	int fd;
	size_t spec; /* index in event_list.specs */
	int cpu;
	pid_t thread; /* -1: whatever runs on the CPU */
	uint64_t id;  /* in the records that it writes */
};

/* All that a recording asks the kernel for. */
struct event_list {
	struct array specs;  /* struct event_spec */
	struct array events; /* struct event */
};

struct event_list event_list_new(void);

/* Closes all events. */
void event_list_free(struct event_list *list);

/* Adds @spec, not opened yet.  Returns its index or -ERROR_MEMORY. */
int event_list_add(struct event_list *list, struct event_spec spec);

/* Takes the last spec back and closes what is open of it. */
void event_list_remove_last(struct event_list *list);

/* Opens spec number @spec on each CPU of @target, or of the computer, and for
 * each of its threads, as the spec's scope is.  Threads that have ended are
 * left out.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set; the log is the caller's, who
 * knows what the event was for.  Returns -ERROR_MEMORY.
 */
int event_list_open(struct event_list *list, size_t spec,
		    const struct target *target);

/* Calls ioctl(@request, @argument) on the events of @spec.
 *
 * Returns 0, or -ERROR_SYSTEM with errno of the first that failed.
 */
int event_list_control(const struct event_list *list, size_t spec,
		       unsigned long request, void *argument);

/* Returns the first event of @spec on @cpu, or NULL. */
const struct event *event_list_find(const struct event_list *list, size_t spec,
				    int cpu);

/* Disables the events of @spec on @cpu and enables them.  Of a trace that
 * stopped since its buffer was full, Linux 6.1 to 6.15 believe that it is still
 * active, and would not start it again for being enabled ("perf/aux: Fix
 * pending disable flow when the AUX ring buffer overruns").
 *
 * Returns 0 or -ERROR_SYSTEM with errno set.
 */
int event_list_restart_cpu(const struct event_list *list, size_t spec, int cpu);

#endif
