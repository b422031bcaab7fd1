/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_OWN_EVENTS_H
#define KT_INBAND_OWN_EVENTS_H

#include "collector/events/event_list.h"
#include "collector/rings/aux_ring.h"
#include "collector/rings/ring.h"
#include "collector/target/target.h"
#include "collector/trace_unit/tracer.h"

#include <stdint.h>

struct log;

/* The trace of one thread, wherever it runs, and what is recorded beside it:
 * its switches in the ring of the trace, and of each CPU what the kernel
 * patches and who wakes the thread.
 */
struct own_events {
	struct event_list events;
	struct target thread; /* on "CPU" -1 */
	struct target cpus;
	const struct tracer *tracer;
	struct pmu pmu;
	size_t trace_spec;
	int trace_fd;
	struct ring ring;
	struct aux_ring aux;
	struct array cpu_rings; /* struct ring */
};

/* Opens what tells of changes of the kernel's code first: what others patch is
 * recorded.  The trace stays off.  @tid: the calling thread, as the kernel
 * itself numbers it.
 *
 * Returns 0; or a negative enum error, with the reason in @log.  Close @events
 * either way.
 */
int own_events_open(struct own_events *events, pid_t tid, size_t buffer_bytes,
		    const struct log *log);
void own_events_close(struct own_events *events);

/* Switches the trace on and off.  Return 0 or -ERROR_SYSTEM with errno set. */
int own_events_start(const struct own_events *events);
int own_events_stop(const struct own_events *events);

/* Returns the time of the recording's clock. */
uint64_t own_events_now_ns(const struct own_events *events);

#endif
