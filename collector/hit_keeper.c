/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/function_graph.h"
#include "collector/hit_keeper_internal.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/recording_output_internal.h"
#include "collector/recording_setup_internal.h"
#include "collector/records/record_bytes.h"
#include "collector/trigger/probe_events.h"
#include "common/error.h"
#include "common/log.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

void hit_keeper_init(struct hit_keeper *keeper)
{
	keeper->triggers = trigger_set_new();
	keeper->processes = PROCESS_WATCH_EMPTY;
	keeper->hits = (struct hit_wait){
		.events = &keeper->setup->events.list,
		.triggers = &keeper->triggers,
		.after_ns = keeper->setup->options->after_ns,
		.timer = -1,
	};
}

void hit_keeper_free(struct hit_keeper *keeper)
{
	trigger_set_free(&keeper->triggers);
	process_watch_free(&keeper->processes);
	if (keeper->hits.timer >= 0)
		close(keeper->hits.timer);
}

/* Opens the event that resumes a trace which a hit paused. There is none if the
 * trace is to continue for some time after a hit. Kernels before 6.13, and
 * drivers without support, refuse to pause; the recorder then stops the trace
 * itself.
 */
static int open_resume(struct hit_keeper *keeper)
{
	int error;

	if (keeper->setup->options->after_ns)
		return 0;
	error = event_list_add(&keeper->setup->events.list,
			       event_spec_resume(keeper->setup->trace_spec));
	keeper->resume_spec = (size_t)error;
	error = event_rings_open_if_possible(&keeper->setup->events, error);
	keeper->can_pause = !error;
	return error == -ERROR_MEMORY ? error : 0;
}

static int arm(struct hit_keeper *keeper)
{
	const struct collector_options *options = keeper->setup->options;
	struct kernel_symbols symbols = { 0 };
	struct trigger_setup setup =
		recording_setup_triggers(keeper->setup, &symbols);
	int error;

	setup.can_pause = keeper->can_pause;
	setup.option = "--trigger";
	setup.sequel = "; recording continues without it";
	error = trigger_set_arm(&keeper->triggers, &setup, options->triggers,
				options->trigger_count);
	kernel_symbols_free(&symbols);
	return error;
}

/* Watches the recorded processes for their end: whole CPUs are traced, so the
 * events do not end with the processes.
 */
static int watch_processes(struct hit_keeper *keeper)
{
	const struct collector_options *options = keeper->setup->options;
	int error = 0;

	for (size_t i = 0; i < options->process_count && !error; i++)
		error = process_watch_add(&keeper->processes,
					  options->processes[i]);
	return error;
}

int hit_keeper_arm(struct hit_keeper *keeper)
{
	int error;

	if (!keeper->setup->options->trigger_count)
		return 0;
	error = watch_processes(keeper);
	if (!error)
		error = open_resume(keeper);
	if (!error)
		error = event_rings_open_notes(&keeper->setup->events,
					       TRIGGER_HIT_EVENT,
					       &keeper->hits.record_spec);
	return error ? error : arm(keeper);
}

static int keep_trace(struct hit_keeper *keeper, uint32_t index,
		      struct cpu_rings *rings)
{
	struct ring_bytes bytes =
		keeper->setup->tracer->counts_on ?
			aux_ring_since(&rings->aux, rings->kept) :
			aux_ring_snapshot(&rings->aux);

	rings->kept = aux_ring_head(&rings->aux);
	if (!bytes.size)
		return 0;
	return recording_writer_add_trace(keeper->output->writer, index,
					  rings->cpu, -1, &bytes);
}

/* Enables the trace after a hit, and sets since_ns: earlier hits had no trace.
 *
 * A trace that a hit paused remains paused until the event that resumes it has
 * fired once. That event is requested first (REFRESH), because the kernel does
 * not add it to a group that is already active on its CPU.
 */
static int enable_trace(struct hit_keeper *keeper)
{
	const struct event_list *events = &keeper->setup->events.list;
	const struct trace_clock clock = recording_setup_clock(keeper->setup);
	int error = 0;

	if (keeper->can_pause)
		error = event_list_control(events, keeper->resume_spec,
					   PERF_EVENT_IOC_REFRESH, (void *)1);
	if (!error)
		error = event_list_control(events, keeper->setup->trace_spec,
					   PERF_EVENT_IOC_ENABLE, NULL);
	keeper->hits.since_ns = trace_clock_ns(&clock);
	return error;
}

/* Records the time at which the trace was stopped in this turn. */
static void note_stop(struct hit_keeper *keeper, uint64_t now_ns)
{
	if (!keeper->stopped_ns)
		keeper->stopped_ns = now_ns;
}

void hit_keeper_end_turn(struct hit_keeper *keeper)
{
	const struct trace_clock clock = recording_setup_clock(keeper->setup);

	if (!keeper->stopped_ns)
		return;
	trace_stops_add(&keeper->hits.stops, keeper->stopped_ns,
			trace_clock_ns(&clock));
	keeper->stopped_ns = 0;
}

static int snapshot(struct hit_keeper *keeper, bool last)
{
	struct cpu_rings *rings = keeper->setup->events.cpus.items;
	const struct event_list *events = &keeper->setup->events.list;
	const struct trace_clock clock = recording_setup_clock(keeper->setup);
	int error;

	if (keeper->setup->graph) {
		error = function_graph_drain(keeper->setup->graph, true);
		keeper->result->snapshots += !error;
		return error;
	}
	note_stop(keeper, trace_clock_ns(&clock));
	error = event_list_control(events, keeper->setup->trace_spec,
				   PERF_EVENT_IOC_DISABLE, NULL);
	if (!keeper->hits.is_frozen)
		keeper->hits.frozen_ns = trace_clock_ns(&clock);
	keeper->hits.is_frozen = false;
	for (size_t i = 0; i < keeper->setup->target.cpus.count && !error;
	     i++) {
		error = keep_trace(keeper, (uint32_t)i, &rings[i]);
		if (!error && !last)
			error = cpu_rings_reset_trace(&rings[i]);
	}
	if (!error && !last)
		error = enable_trace(keeper);
	keeper->result->snapshots += !error;
	return error;
}

/* Adds a record with the reason why the last trace was saved. */
static int add_record(struct hit_keeper *keeper)
{
	const struct hit_wait *hits = &keeper->hits;
	const struct event *event = event_list_find(
		&keeper->setup->events.list, hits->record_spec, hits->cpu);
	const struct sample_origin origin = {
		.pid = hits->pid,
		.tid = hits->tid,
		.time_ns = hits->frozen_ns,
		.cpu = hits->cpu,
	};
	const struct sample_content content = {
		.bytes = &hits->hit,
		.size = sizeof(hits->hit),
	};
	struct byte_buffer record = { 0 };

	if (!event)
		return -ERROR_NOT_FOUND;
	sample_record_add(&record, event, &origin, &content);
	return recording_output_add(keeper->output, &record);
}

static int keep(struct hit_keeper *keeper, bool last)
{
	struct hit_wait *hits = &keeper->hits;
	int error;

	hits->hit.number = ++keeper->result->hits;
	hits->hit.overlapped = hits->overlapped;
	keeper->result->overlapped += hits->overlapped;
	hits->overlapped = 0;
	error = snapshot(keeper, last);
	if (!error)
		error = add_record(keeper);
	hits->is_pending = false;
	if (hits->timer >= 0)
		close(hits->timer);
	hits->timer = -1;
	return error;
}

int hit_keeper_freeze(struct hit_keeper *keeper)
{
	const struct cpu_rings *rings = keeper->setup->events.cpus.items;
	const struct trace_clock clock = recording_setup_clock(keeper->setup);
	bool has_come = false;
	int error;

	for (size_t i = 0; i < keeper->setup->events.cpus.count; i++)
		has_come |= rings[i].ring[RING_HITS].page &&
			    ring_read(&rings[i].ring[RING_HITS]).size;
	if (!has_come || keeper->setup->options->after_ns)
		return 0;
	note_stop(keeper, trace_clock_ns(&clock));
	error = event_list_control(&keeper->setup->events.list,
				   keeper->setup->trace_spec,
				   PERF_EVENT_IOC_DISABLE, NULL);
	keeper->hits.frozen_ns = trace_clock_ns(&clock);
	keeper->hits.is_frozen = true;
	return error;
}

int hit_keeper_unfreeze(struct hit_keeper *keeper)
{
	if (!keeper->hits.is_frozen)
		return 0;
	keeper->hits.is_frozen = false;
	return enable_trace(keeper);
}

int hit_keeper_keep(struct hit_keeper *keeper, bool is_time)
{
	const struct collector_options *options = keeper->setup->options;
	const struct hit_wait *hits = &keeper->hits;
	int error;

	if (!hits->is_pending || (hits->timer >= 0 && !is_time))
		return 0;
	if (hits->after_ns && hits->timer < 0)
		log_message(keeper->setup->log, LOG_WARNING, NULL,
			    LOG_NO_OFFSET,
			    "--after: no timer could be opened (too many open "
			    "files?): the trace of a hit ends at the hit");
	error = keep(keeper, false);
	if (options->max_hits && keeper->result->hits >= options->max_hits &&
	    keeper->result->end == COLLECTOR_FAILED)
		keeper->result->end = COLLECTOR_HITS_REACHED;
	return error;
}

int hit_keeper_snapshot(struct hit_keeper *keeper)
{
	return snapshot(keeper, false);
}

int hit_keeper_keep_last(struct hit_keeper *keeper)
{
	int error = ring_drain_all(keeper->drain);

	if (error)
		return error;
	error = keeper->hits.is_pending ? keep(keeper, true) :
					  snapshot(keeper, true);
	keeper->result->overlapped += keeper->hits.overlapped;
	keeper->result->by_stops = keeper->hits.by_stops;
	keeper->result->stops = keeper->hits.stops.count;
	keeper->result->stopped_ns = keeper->hits.stops.sum_ns;
	keeper->result->triggers = keeper->triggers.armed;
	keeper->result->missed =
		keeper->triggers.has_probes ? probe_events_missed() : 0;
	return error;
}
