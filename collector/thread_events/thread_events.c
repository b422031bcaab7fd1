/* SPDX-License-Identifier: MIT */
#include "collector/thread_events/thread_events.h"
#include "collector/events/event_list.h"
#include "collector/events/tracefs.h"
#include "collector/kernel_code/code_breakpoints.h"
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
	/* The driver uses the unit's minimum if that is higher. */
	FINE_CYCLES = 32,
};

static int find_unit(struct thread_events *events, const struct log *log)
{
	events->tracer = tracer_find(PMU_DEVICES, &events->pmu);
	if (events->tracer)
		return 0;
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "this machine has no trace unit that Linux supports (see "
		    "`ktrace-hw doctor`)");
	return -ERROR_NOT_FOUND;
}

static int choose_target(struct thread_events *events, const struct log *log)
{
	int *anywhere = array_add(&events->thread.cpus);

	if (!anywhere)
		return -ERROR_MEMORY;
	*anywhere = -1;
	if (target_add_thread(&events->thread, events->tid))
		return -ERROR_MEMORY;
	events->cpus.whole_cpus = true;
	return target_add_cpus(&events->cpus, NULL, log);
}

int thread_events_map_cpus(struct thread_events *events)
{
	const struct event *all = events->events.events.items;

	for (size_t i = 0; i < events->events.events.count; i++) {
		struct ring *ring;

		if (all[i].spec)
			continue;
		ring = array_add(&events->cpu_rings);
		if (!ring)
			return -ERROR_MEMORY;
		if (ring_map(ring, all[i].fd, CPU_RING_BYTES))
			return -ERROR_SYSTEM;
	}
	return 0;
}

/* Opens the events of code changes. Their rings are not polled, so the kernel
 * must not wake a reader for each record. On arm64 the interrupt for the
 * wake-up, pending when a breakpoint's handler returns, would consume the
 * single step over the breakpoint; the breakpoint would then hit again, until
 * the ring is full.
 */
static int open_code_changes(struct thread_events *events)
{
	struct event_spec what = event_spec_text_poke();
	int spec;
	int error;

	what.attr.wakeup_watermark = CPU_RING_BYTES;
	/* for thread_events_miss_cpu() */
	what.attr.read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED;
	spec = event_list_add(&events->events, what);
	error = spec < 0 ? spec : 0;
	if (!error)
		error = event_list_open(&events->events, (size_t)spec,
					&events->cpus);
	return error ? error : thread_events_map_cpus(events);
}

/* Redirects the events of spec @spec to the rings of the first spec's events.
 */
static int share_cpu_rings(const struct thread_events *events, size_t spec)
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

/* Records wake-ups of the thread on any CPU: the kernel's filter drops all
 * others.
 */
static int open_wakeups(struct thread_events *events, size_t spec)
{
	char filter[TID_TEXT];
	int error = event_list_open(&events->events, spec, &events->cpus);

	snprintf(filter, sizeof(filter), "pid == %d", (int)events->tid);
	if (!error)
		error = event_list_control(&events->events, spec,
					   PERF_EVENT_IOC_SET_FILTER, filter);
	if (!error)
		error = share_cpu_rings(events, spec);
	return error ? error :
		       event_list_control(&events->events, spec,
					  PERF_EVENT_IOC_ENABLE, NULL);
}

/* Opens the breakpoints of patches. They come last, because opening the other
 * events patches the kernel; these patches are complete before the code is
 * copied. If they cannot be opened, patched code is a gap in the trace.
 */
static int open_patches(struct thread_events *events)
{
	const char *const *functions = events->tracer->patch_functions;
	int spec;

	if (!functions)
		return 0;
	spec = text_poke_breakpoints_open(&events->events, functions,
					  &events->cpus);
	if (spec < 0)
		return spec == -ERROR_MEMORY ? spec : 0;
	if (share_cpu_rings(events, (size_t)spec))
		event_list_remove_last(&events->events);
	else
		events->patch_spec = (size_t)spec;
	return 0;
}

static int add_wakeups(struct thread_events *events, const struct log *log)
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

/* Turns on cycle counts, if the unit has them, so that even short calls have
 * times of their own. If the unit refuses FINE_CYCLES, uses its own threshold;
 * if it has no cycle counts, none.
 */
static void count_cycles(const struct thread_events *events,
			 struct event_spec *spec)
{
	struct cycle_choice choice = { CYCLES_COUNTED, FINE_CYCLES };

	if (events->tracer->counts_cycles)
		return;
	if (events->tracer->set_cycles(&events->pmu, &choice, NULL, &spec->attr,
				       &spec->config3)) {
		choice.threshold = 0;
		events->tracer->set_cycles(&events->pmu, &choice, NULL,
					   &spec->attr, &spec->config3);
	}
}

/* Adds the trace's event, which also records the thread's switches while it is
 * enabled.
 */
static int add_trace(struct thread_events *events, size_t buffer_bytes,
		     const struct log *log)
{
	const struct tracer *tracer = events->tracer;
	size_t stretches = tracer->wakes_at_once ? AUX_RING_WATERMARKS : 1;
	struct event_spec spec =
		event_spec_trace(tracer->pmu_name, false, false,
				 (uint32_t)(buffer_bytes / stretches));
	int error = tracer->configure(&events->pmu, log, &spec.attr);

	count_cycles(events, &spec);
	/* Makes the unit write PSB packets as often as it can: decoding of an
	 * interval starts at the last PSB before it.
	 */
	if (pmu_term_mask(&events->pmu, "psb_period"))
		pmu_set_term(&events->pmu, "psb_period", 0, &spec.attr);
	/* Events that follow a thread to any CPU cannot be inherited. */
	spec.attr.inherit = 0;
	spec.attr.context_switch = 1;
	/* After exec the thread runs a program other than the one that
	 * requested the trace.
	 */
	spec.attr.remove_on_exec = 1;
	return error ? error : event_list_add(&events->events, spec);
}

static int refuse(const struct thread_events *events, size_t spec,
		  size_t buffer_bytes, int error, const struct log *log)
{
	return event_refusal_log(array_at(&events->events.specs, spec),
				 buffer_bytes, error, log);
}

static int open_trace(struct thread_events *events, size_t buffer_bytes,
		      const struct log *log)
{
	int error = event_list_open(&events->events, events->trace_spec,
				    &events->thread);

	if (error)
		return refuse(events, events->trace_spec, buffer_bytes, error,
			      log);
	if (event_list_find(&events->events, events->trace_spec, -1))
		return 0;
	/* This can happen, because the thread need not be the calling one. */
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET, "thread %d has ended",
		    (int)events->tid);
	return -ERROR_NOT_FOUND;
}

static int map_trace(struct thread_events *events, const struct event *trace,
		     size_t buffer_bytes)
{
	int error = ring_map(&events->ring, trace->fd, THREAD_RING_BYTES);

	return error ? error :
		       aux_ring_map(&events->aux, &events->ring, trace->fd,
				    buffer_bytes, false);
}

int thread_events_map_trace(struct thread_events *events, size_t buffer_bytes,
			    const struct log *log)
{
	const struct event *trace =
		event_list_find(&events->events, events->trace_spec, -1);
	int error;

	events->trace_fd = trace->fd;
	error = map_trace(events, trace, buffer_bytes);
	if (error != -ERROR_LOCKED)
		return error ? refuse(events, events->trace_spec, buffer_bytes,
				      error, log) :
			       0;
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "the trace buffers need more locked memory than this user "
		    "may have (%zu KiB in addition to the memory in use): "
		    "raise RLIMIT_MEMLOCK (`ulimit -l`), or use a smaller "
		    "buffer",
		    (buffer_bytes + THREAD_RING_BYTES) >> 10);
	errno = EPERM;
	return -ERROR_SYSTEM;
}

int thread_events_open(struct thread_events *events, size_t buffer_bytes,
		       const struct log *log)
{
	int error = open_code_changes(events);
	int spec;

	if (error)
		return refuse(events, 0, buffer_bytes, error, log);
	spec = add_wakeups(events, log);
	if (spec < 0)
		return spec;
	error = open_wakeups(events, (size_t)spec);
	if (error)
		return refuse(events, (size_t)spec, buffer_bytes, error, log);
	spec = add_trace(events, buffer_bytes, log);
	if (spec < 0)
		return spec;
	events->trace_spec = (size_t)spec;
	error = open_trace(events, buffer_bytes, log);
	return error ? error : open_patches(events);
}

int thread_events_find(struct thread_events *events, pid_t tid,
		       const struct log *log)
{
	int error;

	*events = (struct thread_events){
		.tid = tid,
		.events = event_list_new(),
		.thread = target_new(),
		.cpus = target_new(),
		.trace_fd = -1,
		.cpu_rings = ARRAY_OF(struct ring),
	};
	error = find_unit(events, log);
	return error ? error : choose_target(events, log);
}

void thread_events_close(struct thread_events *events)
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

bool thread_events_is_patch(const struct thread_events *events, uint64_t id)
{
	const struct event *all = events->events.events.items;

	for (size_t i = 0;
	     events->patch_spec && i < events->events.events.count; i++)
		if (all[i].spec == events->patch_spec && all[i].id == id)
			return true;
	return false;
}

int thread_events_start(const struct thread_events *events)
{
	return ioctl(events->trace_fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ?
		       -ERROR_SYSTEM :
		       0;
}

int thread_events_stop(const struct thread_events *events)
{
	return ioctl(events->trace_fd, PERF_EVENT_IOC_DISABLE, 0) < 0 ?
		       -ERROR_SYSTEM :
		       0;
}

/* Each check costs two system calls for each CPU; a CPU that was found missing
 * stays missing.
 */
enum { LOOK_NS = 10000000 };

bool thread_events_miss_cpu(struct thread_events *events)
{
	uint64_t now_ns = thread_events_now_ns(events);
	struct array away = ARRAY_OF(struct away_cpu);

	if (events->misses_cpu || now_ns - events->looked_ns < LOOK_NS)
		return events->misses_cpu;
	events->looked_ns = now_ns;
	events->misses_cpu = away_cpus_find(&events->events, 0, &away) ||
			     away.count;
	array_free(&away);
	return events->misses_cpu;
}

uint64_t thread_events_now_ns(const struct thread_events *events)
{
	return events->tracer->now_ns(events->ring.page);
}
