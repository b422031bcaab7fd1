/* SPDX-License-Identifier: MIT */
#include "inband/own_events.h"
#include "collector/events/event_refusal.h"
#include "collector/events/tracefs.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>

enum {
	/* A sleep takes some 300 bytes of records. */
	THREAD_RING_BYTES = 256 << 10,
	CPU_RING_BYTES = 64 << 10,
	TID_TEXT = 32,
};

static int find_unit(struct own_events *events, const struct log *log)
{
	events->tracer = tracer_find(PMU_DEVICES, &events->pmu);
	if (events->tracer == &intel_pt_tracer)
		return 0;
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    events->tracer ?
			    "records of one's own calls need Intel PT, which "
			    "this machine does not have" :
			    "this machine has no trace unit that Linux knows "
			    "of (`ktrace-hw doctor` says more)");
	return -ERROR_NOT_FOUND;
}

static int choose_target(struct own_events *events, pid_t tid,
			 const struct log *log)
{
	int *anywhere = array_add(&events->thread.cpus);

	if (!anywhere)
		return -ERROR_MEMORY;
	*anywhere = -1;
	if (target_add_thread(&events->thread, tid))
		return -ERROR_MEMORY;
	events->cpus.whole_cpus = true;
	return target_add_cpus(&events->cpus, NULL, log);
}

/* Maps the ring of each CPU for the first spec's events. */
static int map_cpu_rings(struct own_events *events)
{
	const struct event *all = events->events.events.items;

	for (size_t i = 0; i < events->events.events.count; i++) {
		struct ring *ring = array_add(&events->cpu_rings);

		if (!ring)
			return -ERROR_MEMORY;
		if (ring_map(ring, all[i].fd, CPU_RING_BYTES))
			return -ERROR_SYSTEM;
	}
	return 0;
}

static int open_code_changes(struct own_events *events)
{
	int spec = event_list_add(&events->events, event_spec_text_poke());
	int error = spec < 0 ? spec : 0;

	if (!error)
		error = event_list_open(&events->events, (size_t)spec,
					&events->cpus);
	return error ? error : map_cpu_rings(events);
}

/* The events of spec @spec write to the rings of those of the first. */
static int share_cpu_rings(const struct own_events *events, size_t spec)
{
	const struct event *all = events->events.events.items;

	for (size_t i = 0; i < events->events.events.count; i++) {
		const struct event *owner =
			event_list_find(&events->events, 0, all[i].cpu);

		if (all[i].spec == spec &&
		    ioctl(all[i].fd, PERF_EVENT_IOC_SET_OUTPUT, owner->fd) < 0)
			return -ERROR_SYSTEM;
	}
	return 0;
}

/* Who wakes the thread, wherever that is: the kernel drops all other wake-ups.
 */
static int open_wakeups(struct own_events *events, size_t spec, pid_t tid)
{
	char filter[TID_TEXT];
	int error = event_list_open(&events->events, spec, &events->cpus);

	snprintf(filter, sizeof(filter), "pid == %d", (int)tid);
	if (!error)
		error = event_list_control(&events->events, spec,
					   PERF_EVENT_IOC_SET_FILTER, filter);
	if (!error)
		error = share_cpu_rings(events, spec);
	return error ? error :
		       event_list_control(&events->events, spec,
					  PERF_EVENT_IOC_ENABLE, NULL);
}

static int add_wakeups(struct own_events *events, const struct log *log)
{
	static const char name[] = "sched:sched_waking";
	uint64_t id;

	if (tracefs_id(name, &id)) {
		log_message(log, LOG_ERROR, tracefs_folder(), LOG_NO_OFFSET,
			    "tracepoint %s cannot be read: mount tracefs and "
			    "run as root",
			    name);
		return -ERROR_NOT_FOUND;
	}
	return event_list_add(&events->events,
			      event_spec_tracepoint(name, id, EVENT_OF_CPUS));
}

/* One event tells of the thread's switches, too, and only while it is on. */
static int add_trace(struct own_events *events, size_t buffer_bytes,
		     const struct log *log)
{
	struct event_spec spec = event_spec_trace(
		events->tracer->pmu_name, false, false,
		(uint32_t)(buffer_bytes / AUX_RING_WATERMARKS));
	int error = events->tracer->configure(&events->pmu, log, &spec.attr);

	/* As often as may be: each trace is read from the PSB before it on. */
	if (pmu_term_mask(&events->pmu, "psb_period"))
		pmu_set_term(&events->pmu, "psb_period", 0, &spec.attr);
	/* What follows a thread to any CPU cannot be inherited. */
	spec.attr.inherit = 0;
	spec.attr.context_switch = 1;
	return error ? error : event_list_add(&events->events, spec);
}

static int open_trace(struct own_events *events, size_t buffer_bytes)
{
	const struct event *trace;
	int error = event_list_open(&events->events, events->trace_spec,
				    &events->thread);

	if (error)
		return error;
	trace = event_list_find(&events->events, events->trace_spec, -1);
	/* The thread has ended: it is another's. */
	if (!trace)
		return -ERROR_NOT_FOUND;
	events->trace_fd = trace->fd;
	error = ring_map(&events->ring, trace->fd, THREAD_RING_BYTES);
	return error ? error :
		       aux_ring_map(&events->aux, &events->ring, trace->fd,
				    buffer_bytes, false);
}

static int refuse(const struct own_events *events, size_t spec,
		  size_t buffer_bytes, int error, const struct log *log)
{
	return event_refusal_say(array_at(&events->events.specs, spec),
				 buffer_bytes, error, log);
}

static int open_all(struct own_events *events, pid_t tid, size_t buffer_bytes,
		    const struct log *log)
{
	int error = open_code_changes(events);
	int spec;

	if (error)
		return refuse(events, 0, buffer_bytes, error, log);
	spec = add_wakeups(events, log);
	if (spec < 0)
		return spec;
	error = open_wakeups(events, (size_t)spec, tid);
	if (error)
		return refuse(events, (size_t)spec, buffer_bytes, error, log);
	spec = add_trace(events, buffer_bytes, log);
	if (spec < 0)
		return spec;
	events->trace_spec = (size_t)spec;
	error = open_trace(events, buffer_bytes);
	return error ? refuse(events, events->trace_spec, buffer_bytes, error,
			      log) :
		       0;
}

int own_events_open(struct own_events *events, pid_t tid, size_t buffer_bytes,
		    const struct log *log)
{
	int error;

	*events = (struct own_events){
		.events = event_list_new(),
		.thread = target_new(),
		.cpus = target_new(),
		.trace_fd = -1,
		.cpu_rings = ARRAY_OF(struct ring),
	};
	error = find_unit(events, log);
	if (!error)
		error = choose_target(events, tid, log);
	return error ? error : open_all(events, tid, buffer_bytes, log);
}

void own_events_close(struct own_events *events)
{
	aux_ring_unmap(&events->aux);
	ring_unmap(&events->ring);
	for (size_t i = 0; i < events->cpu_rings.count; i++)
		ring_unmap(array_at(&events->cpu_rings, i));
	array_free(&events->cpu_rings);
	event_list_free(&events->events);
	target_free(&events->thread);
	target_free(&events->cpus);
}

int own_events_start(const struct own_events *events)
{
	return ioctl(events->trace_fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ?
		       -ERROR_SYSTEM :
		       0;
}

int own_events_stop(const struct own_events *events)
{
	return ioctl(events->trace_fd, PERF_EVENT_IOC_DISABLE, 0) < 0 ?
		       -ERROR_SYSTEM :
		       0;
}

uint64_t own_events_now_ns(const struct own_events *events)
{
	return events->tracer->now_ns(events->ring.page);
}
