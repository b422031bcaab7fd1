/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_THREAD_EVENTS_H
#define KT_COLLECTOR_THREAD_EVENTS_H

#include "collector/events/event_list.h"
#include "collector/rings/aux_ring.h"
#include "collector/rings/ring.h"
#include "collector/target/target.h"
#include "collector/trace_unit/tracer.h"

#include <stdint.h>

struct log;

/* The trace of one thread, wherever it runs, and what is recorded beside it:
 * its switches in the ring of the trace, and of each CPU what the kernel
 * patches and who wakes the thread.  The first two specs of events are of what
 * the kernel tells of its code and of wake-ups; another is of what it patches,
 * where it does not tell of that (common/text_poke_breakpoint.h).
 */
struct thread_events {
	pid_t tid; /* as the kernel itself numbers it */
	struct event_list events;
	struct target thread; /* on "CPU" -1 */
	struct target cpus;
	const struct tracer *tracer;
	struct pmu pmu;
	size_t patch_spec; /* 0: there is none */
	size_t trace_spec;
	int trace_fd;
	struct ring ring;
	struct aux_ring aux;
	struct array cpu_rings; /* struct ring */
};

/* Looks for the trace unit and the CPUs: nothing is open then.
 *
 * Returns 0; or a negative enum error, with the reason in @log.  Close @events
 * either way, as after the functions below, which return likewise.
 */
int thread_events_find(struct thread_events *events, pid_t tid,
		       const struct log *log);
void thread_events_close(struct thread_events *events);

/* Opens them by the caller's own rights: first what tells of changes of the
 * kernel's code, so that what others patch is recorded.  The trace stays off.
 * @buffer_bytes: of trace.
 */
int thread_events_open(struct thread_events *events, size_t buffer_bytes,
		       const struct log *log);

/* The same with events that another process opened, and that were added to the
 * list: maps the rings of the first spec's, of each CPU.  Returns 0,
 * -ERROR_MEMORY, or -ERROR_SYSTEM with errno set.
 */
int thread_events_map_cpus(struct thread_events *events);

/* Maps the rings of the trace, whose event is open: locked memory of the
 * caller's user.
 */
int thread_events_map_trace(struct thread_events *events, size_t buffer_bytes,
			    const struct log *log);

/* Returns whether event @id, of a sample, tells of what the kernel patches. */
bool thread_events_is_patch(const struct thread_events *events, uint64_t id);

/* Switches the trace on and off.  Return 0 or -ERROR_SYSTEM with errno set. */
int thread_events_start(const struct thread_events *events);
int thread_events_stop(const struct thread_events *events);

/* Returns the time of the recording's clock. */
uint64_t thread_events_now_ns(const struct thread_events *events);

#endif
