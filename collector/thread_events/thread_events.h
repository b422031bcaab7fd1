/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_THREAD_EVENTS_H
#define KT_COLLECTOR_THREAD_EVENTS_H

#include "collector/events/event_list.h"
#include "collector/rings/cpu_rings.h"
#include "collector/target/target.h"
#include "collector/trace_unit/tracer.h"

#include <stdbool.h>
#include <stdint.h>

struct log;

/* The trace of one thread on all CPUs, and the events recorded with it: its
 * switches in the ring of the trace, and on each CPU the kernel's code changes
 * and the thread's wake-ups. Of the specs, number 0 is for code changes that
 * the kernel reports, number 1 for wake-ups; patch_spec is for patches that the
 * kernel does not report (common/formats/recording_events.h).
 */
struct thread_events {
	pid_t tid; /* in the initial PID namespace */
	struct event_list events;
	struct target thread; /* the one thread; its only CPU is -1, any CPU */
	struct target cpus;
	const struct tracer *tracer;
	struct pmu pmu;
	size_t patch_spec; /* 0: none */
	size_t trace_spec;
	int trace_fd;
	struct ring ring;
	struct aux_ring aux;
	struct array cpu_rings; /* struct ring */
	/* see thread_events_miss_cpu() */
	bool misses_cpu;
	uint64_t looked_ns; /* when thread_events_miss_cpu() last checked */
};

/* Finds the trace unit and the CPUs; opens no event.
 *
 * Returns 0 or a negative enum error, as do the functions below. Errors are
 * logged to @log, except -ERROR_MEMORY. The caller must close @events either
 * way.
 */
int thread_events_find(struct thread_events *events, pid_t tid,
		       const struct log *log);
void thread_events_close(struct thread_events *events);

/* Opens the events with the caller's own rights: text_poke events first, so
 * that the patches that other events cause are recorded. The trace stays off.
 * @buffer_bytes: size of each trace buffer.
 */
int thread_events_open(struct thread_events *events, size_t buffer_bytes,
		       const struct log *log);

/* Maps the ring of the first spec's event on each CPU. thread_events_open()
 * does this, too; others must call it if another process opened the events and
 * they were added to the list. Returns 0, -ERROR_MEMORY, or -ERROR_SYSTEM with
 * errno set.
 */
int thread_events_map_cpus(struct thread_events *events);

/* Maps the rings of the trace, whose event is open. The memory counts as locked
 * memory of the caller's user.
 */
int thread_events_map_trace(struct thread_events *events, size_t buffer_bytes,
			    const struct log *log);

/* Returns whether @id, the event id of a sample, belongs to the event that
 * reports the kernel's patches.
 */
bool thread_events_is_patch(const struct thread_events *events, uint64_t id);

/* Switch the trace on and off. Return 0 or -ERROR_SYSTEM with errno set. */
int thread_events_start(const struct thread_events *events);
int thread_events_stop(const struct thread_events *events);

/* Returns whether the kernel closed the events of a CPU, because it was
 * switched off: its wake-ups and code changes are missing from then on, even if
 * it is switched on again. Checks at most a hundred times a second, and returns
 * the last result in between.
 */
bool thread_events_miss_cpu(struct thread_events *events);

/* Returns the current time of the recording's clock. */
uint64_t thread_events_now_ns(const struct thread_events *events);

#endif
